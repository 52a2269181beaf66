/** What calling every function came to. */
export interface Findings {
  functions: number;
  calls: number;
  /** Calls that took longer than was charged for them; `ratio`: how often what a plain instruction takes. */
  slow: { call: string; ms: number; used: number; ratio: number }[];
  large: { call: string; bytes: number; charged: number }[];
  /** What left the program that was none of its errors. */
  broken: string[];
  worstMs: number;
}
