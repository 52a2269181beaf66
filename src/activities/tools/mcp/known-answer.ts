import { TactusError } from '../../../contract/errors.js';
import { Fault } from '../../retries/failures.js';
import { NotDone } from '../not-done.js';
import { ToolFailed } from '../tool-failed.js';

/**
 * Codes of JSON-RPC by which a server says that it doesn't take a request: it has done nothing. What it says after it has begun is
 * none of them.
 */
const refusals = [-32700, -32600, -32601, -32602, -32002, -32021, -32022];

/** By HTTP it may take the same one later: nothing is there while it is deployed anew, say. */
const refusedForNow = [404, 408, 425, 429];

/** What an error of the client says of a call: ToolFailed, or NotDone, where the server has refused it; else the error itself. */
export function knownAnswer(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ToolFailed) return error;
  const { code } = error as { code?: unknown };
  if (typeof code === 'number') return refusals.includes(code) ? new ToolFailed(error.message) : error;
  const status = statusOf(error);
  if (status === null) return error;
  const said = `answered ${status}: ${wordsOf(error)}`;
  if (refusedForNow.includes(status)) return new NotDone(new Fault(said, { status, retryable: true }));
  return status >= 400 && status < 500 ? new ToolFailed(said) : error;
}

/** What it says where no connection could be made. */
export function notConnected(error: unknown): unknown {
  const known = knownAnswer(error);
  if (
    known !== error ||
    !(error instanceof Error) ||
    error instanceof ToolFailed ||
    error instanceof TactusError
  )
    return known;
  return new NotDone(new Fault(error.message, { retryable: true, cause: error }));
}

/** The status of HTTP that a request was answered with. */
export function statusOf(error: unknown): number | null {
  const { data } = (error ?? {}) as { data?: { status?: unknown } };
  return typeof data?.status === 'number' ? data.status : null;
}

function wordsOf(error: Error): string {
  return error.message.replace(/^Error POSTing to endpoint: /, '').slice(0, 2_000);
}
