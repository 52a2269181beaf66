import { isGrpcServiceError, ServiceError } from '@temporalio/client';

/** The server's own error (gRPC code and details) in what the SDK threw; null where it is something else. */
export function grpcErrorOf(error: unknown): { code: number; details: string; message: string } | null {
  const cause = error instanceof ServiceError ? error.cause : error;
  return isGrpcServiceError(cause) ? cause : null;
}
