import { Command } from 'commander';
import { readAsked } from '../../client/runs/read-asked.js';
import { refuseStuck } from '../../client/health/stuck-error.js';
import { describeRun, endOf } from '../../client/runs/view-run.js';
import { TactusError } from '../../contract/errors.js';
import type { LogPage } from '../../contract/runs/run-view.js';
import { lastArgument } from '../../contract/text/shell-word.js';
import { act } from '../context.js';
import { exitCodes } from '../terminal/exit-codes.js';
import { fullLog } from './full-log.js';
import { fullLogText } from './full-log-text.js';
import { logMermaid, logText } from './log-text.js';
import { withSession } from '../session.js';

interface LogFlags {
  mermaid?: boolean;
  full?: boolean;
}

/** `log RUN [POSITION]`: the execution log, or one entry with all that was sent and answered. */
export function logCommand(): Command {
  return new Command('log')
    .description('show the execution log of a run')
    .argument('<run>', 'id of the run')
    .argument('[position]', 'of one checkpoint, as the log shows it: all that it sent and was answered')
    .option('--full', 'all that was sent and answered: messages, system prompts, tools, settings, the input')
    .option('--mermaid', 'draw it as a Mermaid diagram')
    .action(
      act(async (context, { mermaid, full }: LogFlags, runId: string, position?: string) =>
        withSession(context, async (session) => {
          const isFull = full === true || position !== undefined;
          if (isFull && mermaid === true)
            throw new TactusError('usage', 'A diagram shows the whole log, and nothing of what was sent');
          const run = session.tactus.attach(runId);
          const description = await describeRun(run);
          const end = endOf(description.status.name);
          await refuseStuck(run, description);
          const told = await session.ask(() => run.log());
          // A run that was terminated knows nothing of it.
          const log = end === null ? told : { ...told, status: end };
          if (isFull) {
            const asked = await session.ask(() => readAsked(run));
            const whole = fullLog(position === undefined ? log : onlyAt(log, position), asked);
            context.screen.answer(whole, () => fullLogText(whole, position === undefined));
            return exitCodes.done;
          }
          const drawing = mermaid === true ? logMermaid(log) : null;
          context.screen.answer(
            drawing === null ? log : { ...log, mermaid: drawing },
            () => drawing ?? logText(log),
          );
          return exitCodes.done;
        }),
      ),
    );
}

/** @throws TactusError usage where the log has no such position */
function onlyAt(log: LogPage, position: string): LogPage {
  const found = log.execution_log.filter((entry) => entry.position === position);
  if (found.length > 0) return { ...log, execution_log: found };
  throw new TactusError(
    'usage',
    `${log.procedure_id} has no checkpoint ${position} that has ended; tactus-temporal log ${lastArgument(log.procedure_id)} shows those that there are`,
  );
}
