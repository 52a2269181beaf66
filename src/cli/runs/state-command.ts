import { Command } from 'commander';
import { describeRun, refuseStuck } from '../../client/index.js';
import { act } from '../context.js';
import { exitCodes } from '../terminal/exit-codes.js';
import { jsonText } from '../terminal/terminal-text.js';
import { withSession } from '../session.js';

/** `state RUN`: the procedure's state. */
export function stateCommand(): Command {
  return new Command('state')
    .description('show the state of a run')
    .argument('<run>', 'id of the run')
    .action(
      act(async (context, _flags: object, runId: string) =>
        withSession(context, async (session) => {
          const run = session.tactus.attach(runId);
          await refuseStuck(run, await describeRun(run));
          const state = await session.ask(() => run.state());
          context.screen.answer({ run_id: runId, state }, () => jsonText(state, 2));
          return exitCodes.done;
        }),
      ),
    );
}
