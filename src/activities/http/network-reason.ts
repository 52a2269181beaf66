/** Deepest chain of causes that HTTP libraries build. */
const deepest = 5;

/**
 * What went wrong between here and there, as the platform names it (`ECONNREFUSED`, `UND_ERR_SOCKET`), or null where
 * the error isn't one of the network.
 */
export function networkReason(error: unknown, depth = 0): string | null {
  if (!(error instanceof Error) || depth === deepest) return null;
  const { code } = error as Error & { code?: unknown };
  // A mistake of ours, a wrong URL say, has a code of Node's that begins so.
  if (typeof code === 'string' && /^[A-Z]/.test(code) && !code.startsWith('ERR_INVALID')) return code;
  const inner = networkReason(error.cause, depth + 1);
  if (inner !== null) return inner;
  return /^(terminated|other side closed|socket hang up)$/.test(error.message) ? error.message : null;
}
