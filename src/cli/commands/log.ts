import { Command } from 'commander';
import { describeRun, endOf } from '../../client/view-run.js';
import { refuseStuck } from '../../client/stuck-error.js';
import { act } from '../context.js';
import { exitCodes } from '../exit-codes.js';
import { logMermaid, logText } from '../log-text.js';
import { withSession } from '../session.js';

/** `log RUN`: the execution log. */
export function logCommand(): Command {
  return new Command('log')
    .description('show the execution log of a run')
    .argument('<run>', 'id of the run')
    .option('--mermaid', 'draw it as a Mermaid diagram')
    .action(
      act(async (context, flags: { mermaid?: boolean }, runId: string) =>
        withSession(context, async (session) => {
          const run = session.tactus.attach(runId);
          const description = await describeRun(run);
          const end = endOf(description.status.name);
          await refuseStuck(run, description);
          const told = await session.ask(() => run.log());
          // A run that was terminated knows nothing of it.
          const log = end === null ? told : { ...told, status: end };
          const drawing = flags.mermaid === true ? logMermaid(log) : null;
          context.screen.answer(
            drawing === null ? log : { ...log, mermaid: drawing },
            () => drawing ?? logText(log),
          );
          return exitCodes.done;
        }),
      ),
    );
}
