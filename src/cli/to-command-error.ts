import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { TactusError } from '../contract/errors.js';

const unavailable = 14;

/** Whatever ended a command as an error of ours, with what a person can do about it. */
export function toCommandError(error: unknown): TactusError {
  if (error instanceof TactusError) return error;
  const cause = error instanceof ServiceError ? error.cause : error;
  if (isGrpcServiceError(cause)) {
    const grpcCode: number = cause.code;
    const code = grpcCode === unavailable ? 'server_unreachable' : 'internal';
    const wrapped = new TactusError(code, `The Temporal server answers: ${cause.details || cause.message}`);
    return withStack(wrapped, error);
  }
  const message = error instanceof Error ? error.message : String(error);
  return withStack(new TactusError('internal', message), error);
}

function withStack(wrapped: TactusError, error: unknown): TactusError {
  if (error instanceof Error && error.stack !== undefined) wrapped.stack = error.stack;
  return wrapped;
}
