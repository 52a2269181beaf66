/**
 * Which attempt at a call, and of how many: the words are the same wherever attempts are counted. The first is attempt 1.
 * @param attempts in all; null: nobody knows, or time ends them
 */
export function attemptText(attempt: number, attempts: number | null): string {
  return attempts === null || attempt > attempts ? `attempt ${attempt}` : `attempt ${attempt} of ${attempts}`;
}
