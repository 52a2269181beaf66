/** What a program printed, and the error that ended it. */
export interface Ran {
  printed: string[];
  error: string | null;
}
