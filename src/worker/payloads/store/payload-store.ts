/**
 * Keeps payloads that the server refuses for their size. All workers of a task queue need the same one: a run goes on
 * wherever a worker is free. What is put must stay for as long as the run and its history do.
 */
export interface PayloadStore {
  /** Keeps data under a key; the same key always comes with the same data. */
  put(key: string, data: Uint8Array): Promise<void>;
  /** null where there is nothing under the key. */
  get(key: string): Promise<Uint8Array | null>;
}
