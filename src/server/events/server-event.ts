/** One event of a stream. `id` comes back as `Last-Event-ID` from whoever was cut off. */
export interface ServerEvent {
  event: string;
  id?: string;
  data: object;
}
