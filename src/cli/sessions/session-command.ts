import { Command } from 'commander';
import { describeRun, refuseStuck } from '../../client/index.js';
import { planText } from '../../contract/sessions/plan.js';
import type { SessionView, SnapshotEntry } from '../../contract/sessions/session-view.js';
import { act, exitCodes, jsonText } from '../command.js';
import { withSession } from '../session.js';

/** `session RUN`: the plan, the slices and the snapshots of a run. */
export function sessionCommand(): Command {
  return new Command('session')
    .description('show the session of a run: its plan, its slices and its snapshots')
    .argument('<run>', 'id of the run')
    .action(
      act(async (context, _flags: object, runId: string) =>
        withSession(context, async (session) => {
          const run = session.tactus.attach(runId);
          await refuseStuck(run, await describeRun(run));
          const view = await session.ask(() => run.session());
          context.screen.answer(view, () => sessionText(view));
          return exitCodes.done;
        }),
      ),
    );
}

/** The plan, a line for each slice with its newest item, and one for each snapshot, the oldest first. */
export function sessionText({ plan, slices, snapshots, ...counts }: SessionView): string {
  const { snapshots_made: made, snapshots_failed: failed } = counts;
  const unknown = made + failed - snapshots.length;
  const lines = [
    ...(plan === null ? ['no plan'] : planText(plan).split('\n')),
    ...Object.entries(slices).map(
      ([name, items]) =>
        `slice ${name}: ${items.length === 1 ? '1 item' : `${items.length} items`}${items.length === 0 ? '' : `, the newest ${jsonText(items.at(-1) ?? null)}`}`,
    ),
    ...(unknown > 0 ? [`${unknown} older snapshots`] : []),
    ...snapshots.map(snapshotText),
  ];
  return lines.join('\n');
}

function snapshotText({ at, position, trigger, bytes, error }: SnapshotEntry): string {
  return `snapshot ${at}  ${position}  ${trigger}  ${error === null ? `${bytes ?? 0} bytes` : `not written: ${error}`}`;
}
