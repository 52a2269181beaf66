import { Command } from 'commander';
import { act, interruption, readDuration, collect } from '../command.js';
import { describeRun } from '../../client/index.js';
import { withSession } from '../session.js';
import { finishFollowing, followHere, followRun, type AnswerFlags } from './follow-run.js';

/** `resume RUN`: follows a run again, from where it is. */
export function resumeCommand(): Command {
  return new Command('resume')
    .description('follow a run again; starts a server and a worker if none are running')
    .argument('<run>', 'id of the run')
    .option('--respond <json>', 'answer to the next human request; may be repeated', collect, [])
    .option('--as <who>', 'name of the person who answers (default: your account)')
    .action(
      act(async (context, flags: AnswerFlags, runId: string) =>
        withSession(context, async (session) => {
          const run = session.tactus.attach(runId);
          await describeRun(run);
          return followHere(session, context.screen, run, flags);
        }),
      ),
    );
}

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
          if (isOpen) await session.worker.provide({ performs: !(await session.worker.hasLive()) });
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
