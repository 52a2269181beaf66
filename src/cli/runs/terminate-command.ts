import { Command } from 'commander';
import { describeRun } from '../../client/index.js';
import { act } from '../context.js';
import { exitCodes } from '../terminal/exit-codes.js';
import { incompleteText, summaryText } from './run-text.js';
import { withSession } from '../session.js';

/** `terminate RUN`: ends a run at once, which needs no worker: also one that is stuck, or doesn't hear that it is cancelled. */
export function terminateCommand(): Command {
  return new Command('terminate')
    .description('terminate a run without cleanup; prefer cancel')
    .argument('<run>', 'id of the run')
    .option('--reason <text>', 'reason, recorded in history')
    .action(
      act(async (context, { reason }: { reason?: string }, runId: string) =>
        withSession(context, async (session) => {
          const { screen } = context;
          const run = session.tactus.attach(runId);
          const wasOpen = (await describeRun(run)).closeTime === undefined;
          if (wasOpen) await run.terminate(reason);
          await session.provideWorker({ performs: false });
          const view = await session.view(runId);
          if (view.incomplete !== undefined) screen.warn(incompleteText(view, screen));
          screen.answer(view, () => summaryText(view, screen));
          if (!wasOpen) screen.warn(`There was nothing to end: the run had ended (${view.status}).`);
          return wasOpen ? exitCodes.done : exitCodes.failed;
        }),
      ),
    );
}
