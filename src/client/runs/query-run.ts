import type { WorkflowHandle } from '@temporalio/client';
import { grpcErrorOf } from '../server/grpc-error.js';

/** Nothing tells that a worker died with a question: it is asked anew after this time, in ms. */
const patienceMs = 10_000;
/** What the server, and what gRPC on this side, says of a call whose time is over. */
const overTime: readonly (number | undefined)[] = [4, 1];

/** Asks a run. A question that was lost with its worker is asked once more, for as long as the SDK waits for any. */
export async function queryRun<T>(handle: WorkflowHandle, query: string, ...args: unknown[]): Promise<T> {
  const ask = (): Promise<T> => handle.query<T, unknown[]>(query, ...args);
  try {
    return await handle.client.withDeadline(Date.now() + patienceMs, ask);
  } catch (error) {
    if (!overTime.includes(grpcErrorOf(error)?.code)) throw error;
    return ask();
  }
}
