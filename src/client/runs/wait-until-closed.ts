import { WorkflowFailedError, WorkflowNotFoundError, type WorkflowHandle } from '@temporalio/client';
import { setTimeout as delay } from 'node:timers/promises';

const pauseMs = 1_000;

/** Resolves when a run has ended, however; a server that is away is waited for, until nobody wants to know any more. */
export async function waitUntilClosed(
  { client, workflowId }: WorkflowHandle,
  signal: AbortSignal,
): Promise<void> {
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

const shortestMs = 100;
const longestMs = 1_000;

/** How often a run is looked at: often while it does something, seldom while it waits, at once when it has ended. */
export class PollInterval {
  private ms = shortestMs;
  private readonly ended: Promise<void>;
  private hasEnded = false;

  constructor(
    result: Promise<unknown>,
    private readonly signal: AbortSignal,
  ) {
    const end = (): void => {
      this.hasEnded = true;
    };
    this.ended = result.then(end, end);
  }

  async next(isBusy: boolean): Promise<void> {
    this.ms = isBusy ? shortestMs : Math.min(longestMs, this.ms * 1.5);
    // Its end is news once; what is left to be seen of it takes a moment.
    const isKnown = this.hasEnded;
    const timer = delay(isKnown ? shortestMs : this.ms, null, { signal: this.signal }).catch(() => null);
    await (isKnown ? timer : Promise.race([timer, this.ended]));
  }
}
