/** Codes of JSON-RPC by which an agent says that it has done nothing: all but a fault of its own. */
const internalError = -32603;

/** Why an agent has taken nothing of a request; null where that isn't certain. */
export function refusalText(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { envelopeCode, statusCode } = error as { envelopeCode?: unknown; statusCode?: unknown };
  const isRefused =
    typeof envelopeCode === 'number'
      ? envelopeCode !== internalError && envelopeCode < -32000
      : typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500;
  return isRefused ? error.message : null;
}

/** The agent knows the task no more. */
export function isUnknownTask(error: unknown): boolean {
  return (error as { reason?: unknown } | null)?.reason === 'TASK_NOT_FOUND';
}
