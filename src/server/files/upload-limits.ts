/** How much is kept of what people hand in, and for how long. */
export interface UploadLimits {
  /** Of a namespace, in bytes. */
  mostBytes: number;
  /** Of one person in a day, in bytes. */
  dayBytes: number;
  /** A file that no decision has named is removed after this time; null: never. */
  unusedMs: number | null;
  /** One that a decision has named is removed after this time; null: never. */
  keptMs: number | null;
}

export const usualUploadLimits: UploadLimits = {
  mostBytes: 10_000_000_000,
  dayBytes: 1_000_000_000,
  unusedMs: 7 * 86_400_000,
  keptMs: null,
};
