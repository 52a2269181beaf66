import { WorkflowFailedError, WorkflowNotFoundError, type WorkflowHandle } from '@temporalio/client';
import { setTimeout as delay } from 'node:timers/promises';

const pauseMs = 1_000;

/** Resolves when a run has ended, however; a server that is away is waited for, until nobody wants to know any more. */
export async function runClosed({ client, workflowId }: WorkflowHandle, signal: AbortSignal): Promise<void> {
  while (!signal.aborted)
    try {
      // The whole chain of executions, whichever of them the handle was made for.
      await client.withAbortSignal(signal, () => client.getHandle(workflowId).result());
      return;
    } catch (error) {
      if (error instanceof WorkflowFailedError || error instanceof WorkflowNotFoundError) return;
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    }
}
