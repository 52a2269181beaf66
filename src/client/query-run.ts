import type { WorkflowHandle } from '@temporalio/client';
import { grpcErrorOf } from './grpc-error.js';

/** Nothing tells that a worker died with a question: it is asked anew after this time, in ms. */
const patienceMs = 5_000;
const deadlineExceeded = 4;

/** Asks a run. A question that was lost with its worker is asked once more, for as long as the SDK waits for any. */
export async function queryRun<T>(handle: WorkflowHandle, query: string, ...args: unknown[]): Promise<T> {
  const ask = (): Promise<T> => handle.query<T, unknown[]>(query, ...args);
  try {
    return await handle.client.withDeadline(Date.now() + patienceMs, ask);
  } catch (error) {
    if (grpcErrorOf(error)?.code !== deadlineExceeded) throw error;
    return ask();
  }
}
