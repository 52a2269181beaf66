import { Fault } from '../retries/failures.js';

/** A longer wait is a provider's mistake: a run had better fail, or go by its own policy. */
const longestWaitMs = 24 * 60 * 60 * 1000;

export interface HttpAnswer {
  status: number;
  headers: Headers;
  /** What the other side said, or null where that can't be shown or read. */
  reason: string | null;
}

/** The fault that an HTTP status stands for. Request timeout, conflict, too early, too many requests and server errors may go better. */
export function httpFault({ status, headers, reason }: HttpAnswer): Fault {
  return new Fault(reason === null ? `answered ${status}` : `answered ${status}: ${reason}`, {
    status,
    retryable: wishOf(headers) ?? isRetryableStatus(status),
    retryAfterMs: retryAfterMs(headers, Date.now()),
  });
}

export function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 425 || status === 429 || status >= 500;
}

/** Providers that know better than their status say so. */
function wishOf(headers: Headers): boolean | null {
  const wish = headers.get('x-should-retry');
  return wish === 'true' ? true : wish === 'false' ? false : null;
}

/** How long to wait, by `retry-after-ms` (ms) or `retry-after` (seconds, or a date); null where neither says. */
export function retryAfterMs(headers: Headers, now: number): number | null {
  const exact = headers.get('retry-after-ms');
  if (exact !== null) return sensible(Number(exact));
  const after = headers.get('retry-after');
  if (after === null) return null;
  const seconds = Number(after);
  return sensible(Number.isNaN(seconds) ? Date.parse(after) - now : seconds * 1000);
}

function sensible(ms: number): number | null {
  return ms > 0 && ms <= longestWaitMs ? Math.ceil(ms) : null;
}

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
