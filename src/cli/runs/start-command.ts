import { Command } from 'commander';
import { act } from '../context.js';
import { exitCodes } from '../terminal/exit-codes.js';
import { readProcedure } from '../procedures/read-procedure.js';
import { withSession } from '../session.js';
import { withStartOptions, type StartFlags } from './start-options.js';
import { startRun } from './start-run.js';
import { startedText } from './run-text.js';
import { workerCommand } from '../connection.js';

/** `start FILE [TASK]`: starts a run for a worker that runs elsewhere, and gives its id. */
export function startCommand(): Command {
  return withStartOptions(new Command('start'))
    .description('start a procedure; needs a running worker')
    .action(
      act(async (context, flags: StartFlags, file: string, task?: string) => {
        const procedure = await readProcedure(file, task, flags, context.screen);
        return withSession(context, async (session) => {
          const run = await startRun(session, context.screen, procedure, flags);
          if (!(await session.hasLiveWorker()))
            context.screen.note(
              `No worker polls "${session.target.taskQueue}": the run waits for one. Start it: ${workerCommand(session, file)}`,
            );
          context.screen.answer(...(await startedText(run, procedure.source)));
          return exitCodes.done;
        });
      }),
    );
}
