import { NamespaceNotFoundError } from '@temporalio/common';
import { grpcErrorOf } from '../../client/index.js';
import { TactusError } from '../../contract/errors.js';

const unavailable = 14;

/** Whatever ended a command as an error of ours, with what a person can do about it. */
export function toCommandError(error: unknown): TactusError {
  if (error instanceof TactusError) return error;
  if (error instanceof NamespaceNotFoundError) {
    const message = `The Temporal server has no namespace ${error.namespace}: see --namespace and TEMPORAL_NAMESPACE; the embedded server has default alone`;
    return withStack(new TactusError('usage', message), error);
  }
  const refusal = grpcErrorOf(error);
  if (refusal !== null) {
    const details = plainDetails(refusal.details || refusal.message);
    const wrapped =
      refusal.code === unavailable
        ? new TactusError('server_unreachable', `The Temporal server doesn't answer any more (${details})`)
        : new TactusError('internal', `The Temporal server refuses: ${details}`);
    return withStack(wrapped, error);
  }
  const message = error instanceof Error ? error.message : String(error);
  return withStack(new TactusError('internal', message), error);
}

/** Without what gRPC says round it. */
function plainDetails(details: string): string {
  return details
    .replace(/^No connection established\. Last error: (?:Error: )?/, '')
    .replace(/\. Resolution note: \s*$/, '');
}

function withStack(wrapped: TactusError, error: unknown): TactusError {
  if (error instanceof Error && error.stack !== undefined) wrapped.stack = error.stack;
  return wrapped;
}
