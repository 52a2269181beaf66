import { WorkflowUpdateRPCTimeoutOrCancelledError } from '@temporalio/client';
import { grpcErrorOf } from '../server/grpc-error.js';

const cancelled = 1;
const deadlineExceeded = 4;
const failedPrecondition = 9;

/** Whether an error says that no worker answered a question in its time, or that there is none. */
export function isUnanswered(error: unknown): boolean {
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return true;
  const refusal = grpcErrorOf(error);
  if (refusal === null) return false;
  const { code, details } = refusal;
  if (code === deadlineExceeded || code === cancelled) return true;
  return code === failedPrecondition && /poller|worker/i.test(details);
}
