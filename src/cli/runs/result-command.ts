import { Command } from 'commander';
import { describeRun } from '../../client/index.js';
import { act } from '../context.js';
import { finishFollowing, followRun } from './follow-run.js';
import { interruption } from '../terminal/interruption.js';
import { readDuration } from '../terminal/flag-values.js';
import { withSession } from '../session.js';

/** Node's timers go no further: some 24 days. */
const longestTimerMs = 2 ** 31 - 1;

/** `result RUN`: waits until a run has ended or waits for a person, and gives its output. */
export function resultCommand(): Command {
  return new Command('result')
    .description('wait for the output of a run')
    .argument('<run>', 'id of the run')
    .option('--timeout <duration>', 'longest time to wait')
    .action(
      act(async ({ screen, options }, { timeout }: { timeout?: string }, runId: string) => {
        const longest = timeout === undefined ? null : readDuration(timeout, '--timeout');
        return withSession({ screen, options }, async (session) => {
          const run = session.tactus.attach(runId);
          const isOpen = (await describeRun(run)).closeTime === undefined;
          // Its own worker may be all there is. How a closed run ended is known without any.
          if (isOpen) await session.provideWorker({ performs: !(await session.hasLiveWorker()) });
          const { signal, interrupt, dispose } = interruption();
          const ends =
            longest === null
              ? signal
              : AbortSignal.any([signal, AbortSignal.timeout(Math.min(Math.round(longest), longestTimerMs))]);
          try {
            const followed = await followRun({
              session,
              run,
              screen,
              answers: [],
              signal: ends,
              interrupt,
              isQuiet: true,
            });
            return finishFollowing({ ...followed, isInterrupted: signal.aborted }, session, screen);
          } finally {
            dispose();
          }
        });
      }),
    );
}
