import { Command } from 'commander';
import { setTimeout as wait } from 'node:timers/promises';
import { viewRun } from '../../client/view-run.js';
import { act } from '../context.js';
import { exitCodes } from '../exit-codes.js';
import { summaryText } from '../run-text.js';
import { withSession } from '../session.js';

const endsWithinMs = 10_000;

/** `cancel RUN`: asks a run to end, and waits a little until it has. */
export function cancelCommand(): Command {
  return new Command('cancel')
    .description('cancel a run')
    .argument('<run>', 'id of the run')
    .action(
      act(async (context, _flags: object, runId: string) =>
        withSession(context, async (session) => {
          const { screen } = context;
          const run = session.tactus.attach(runId);
          await session.provideWorker({ performs: false });
          const before = await session.ask(() => viewRun(run));
          if (before.closed_at === null) await run.cancel();
          let view = before;
          const end = Date.now() + endsWithinMs;
          while (view.closed_at === null && Date.now() < end) {
            await wait(100);
            view = await session.ask(() => viewRun(run));
          }
          screen.answer(view, () => summaryText(view, screen));
          if (view.closed_at === null) screen.warn('The run has been told, and has not ended yet.');
          if (view.closed_at === null) return exitCodes.goesOn;
          if (view.status !== 'cancelled')
            screen.warn(`There was nothing to cancel: the run had ended (${view.status}).`);
          return view.status === 'cancelled' ? exitCodes.done : exitCodes.failed;
        }),
      ),
    );
}
