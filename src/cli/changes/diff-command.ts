import { Command } from 'commander';
import { diffRuns } from '../../client/runs/index.js';
import { describeRun, refuseStuck } from '../../client/index.js';
import { act, exitCodes } from '../command.js';
import { withSession } from '../session.js';
import { diffText } from './diff-text.js';

/** `diff RUN OTHER`: what two runs have recorded, position by position. */
export function diffCommand(): Command {
  return new Command('diff')
    .description('compare the logs of two runs, position by position')
    .argument('<run>', 'id of the run on the left')
    .argument('<other>', 'id of the run on the right')
    .action(
      act(async (context, _: object, left: string, right: string) =>
        withSession(context, async (session) => {
          const runs = [session.tactus.attach(left), session.tactus.attach(right)] as const;
          for (const run of runs) await refuseStuck(run, await describeRun(run));
          const diff = await session.ask(() => diffRuns(...runs));
          context.screen.answer(diff, () => diffText(diff));
          return diff.entries.length === 0 ? exitCodes.done : exitCodes.failed;
        }),
      ),
    );
}
