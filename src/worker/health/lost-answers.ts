import { ApplicationFailure } from '@temporalio/common';
import type { Context } from '@temporalio/activity';
import type { ActivityInterceptors } from '@temporalio/worker';

/**
 * Makes a worker behave, for some runs, as one that crashes after each of its activities: what was done is done, but
 * nobody hears of it, and it is asked for again.
 */
export class LostAnswers {
  private readonly counts = new Map<string, number>();

  /** From now on the first answer to each activity of a run, and of those that it starts, is lost. */
  loseFor(runId: string): void {
    this.counts.set(runId, 0);
  }

  /** How many answers a run has lost. */
  countOf(runId: string): number {
    return this.counts.get(runId) ?? 0;
  }

  readonly interceptors = ({ info }: Context): ActivityInterceptors => ({
    inbound: {
      execute: async (input, next) => {
        const answer: unknown = await next(input);
        const runId = this.ownerOf(info.workflowExecution?.workflowId ?? '');
        // A pause between two tasks of a run does nothing that could be done twice.
        if (runId === undefined || info.attempt > 1 || info.activityType === 'breathe') return answer;
        this.counts.set(runId, this.countOf(runId) + 1);
        throw ApplicationFailure.create({
          message: 'its worker crashed',
          type: 'crashed',
          nextRetryDelay: 1,
        });
      },
    },
  });

  private ownerOf(workflowId: string): string | undefined {
    return [...this.counts.keys()].find(
      (runId) => workflowId === runId || workflowId.startsWith(`${runId}/`),
    );
  }
}
