import { Command } from 'commander';
import { setTimeout as wait } from 'node:timers/promises';
import { describeRun, isOpenRun, stuckOf, stuckText, type TactusRun } from '../../client/index.js';
import { isOver, type RunStatus } from '../../contract/runs/run-view.js';
import { act, exitCodes, hasCode, withDryRun, type DryRunFlag } from '../command.js';
import { answerDryRunOf } from './dry-run.js';
import { incompleteText, summaryText } from './run-text.js';
import { withSession, type Session } from '../session.js';

const endsWithinMs = 10_000;

interface EndFlags extends DryRunFlag {
  reason?: string;
}

/** `cancel RUN`: asks a run to end, and waits a little until it has. */
export function cancelCommand(): Command {
  return withDryRun(new Command('cancel'))
    .description('cancel a run')
    .argument('<run>', 'id of the run')
    .option('--reason <text>', 'reason, recorded in history')
    .action(
      act(async (context, { reason, dryRun }: EndFlags, runId: string) =>
        withSession(context, async (session) => {
          const { screen } = context;
          if (dryRun === true) return answerDryRunOf(context, session, runId, 'cancel');
          const run = session.tactus.attach(runId);
          // First of all: it needs no worker to be told.
          if ((await describeRun(run)).closeTime === undefined) {
            await run.cancel(reason);
            await session.worker.provide({ performs: false });
          }
          if (!(await hasEnded(run))) {
            const stuck = await stuckOf(run.handle, await describeRun(run));
            const status = stuck === null ? await statusOf(session, runId) : 'running';
            if (!isOver(status)) {
              screen.answer({ run_id: runId, status, stuck }, () => '');
              screen.warn(
                'The run was asked to end and has not ended yet: a worker must process the request, and its compensations. If you cancel it again, it ends without them.',
              );
              if (stuck !== null) screen.warn(`It is stuck ${stuckText(stuck)}.`);
              return exitCodes.goesOn;
            }
          }
          const view = await session.view(runId);
          if (view.incomplete !== undefined) screen.warn(incompleteText(view, screen));
          screen.answer(view, () => summaryText(view, screen));
          if (view.status !== 'cancelled')
            screen.warn(`There was nothing to cancel: the run had ended (${view.status}).`);
          return view.status === 'cancelled' ? exitCodes.done : exitCodes.failed;
        }),
      ),
    );
}

async function hasEnded(run: TactusRun): Promise<boolean> {
  for (const end = Date.now() + endsWithinMs; Date.now() < end; await wait(100))
    if ((await describeRun(run)).closeTime !== undefined) return true;
  return false;
}

/** How a run stands that was asked to end; `running` where no worker can tell. */
async function statusOf(session: Session, runId: string): Promise<RunStatus> {
  try {
    return (await session.view(runId)).status;
  } catch (error) {
    if (!hasCode(error, 'no_worker')) throw error;
    return 'running';
  }
}

/** `terminate RUN`: ends a run at once, which needs no worker: also one that is stuck, or doesn't hear that it is cancelled. */
export function terminateCommand(): Command {
  return withDryRun(new Command('terminate'))
    .description('terminate a run without cleanup; prefer cancel')
    .argument('<run>', 'id of the run')
    .option('--reason <text>', 'reason, recorded in history')
    .action(
      act(async (context, { reason, dryRun }: EndFlags, runId: string) =>
        withSession(context, async (session) => {
          const { screen } = context;
          if (dryRun === true) return answerDryRunOf(context, session, runId, 'terminate');
          const run = session.tactus.attach(runId);
          const wasOpen = await isOpenRun(run);
          if (wasOpen) await run.terminate(reason);
          await session.worker.provide({ performs: false });
          const view = await session.view(runId).catch((error: unknown) => {
            // It has ended, and what it came to is encrypted with a key that is not here.
            if (wasOpen && hasCode(error, 'codec_failed')) return null;
            throw error;
          });
          if (view === null) {
            screen.answer({ run_id: runId, status: 'terminated' }, () => `terminated ${runId}`);
            return exitCodes.done;
          }
          if (view.incomplete !== undefined) screen.warn(incompleteText(view, screen));
          screen.answer(view, () => summaryText(view, screen));
          if (!wasOpen) screen.warn(`There was nothing to end: the run had ended (${view.status}).`);
          return wasOpen ? exitCodes.done : exitCodes.failed;
        }),
      ),
    );
}
