/** The same at every attempt of an effect, and for no other one. */
export function idempotencyKey(
  { runId, firstExecutionId }: { runId: string; firstExecutionId: string },
  position: string,
): string {
  return `${runId}/${firstExecutionId}/${position}`;
}
