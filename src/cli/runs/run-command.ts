import { Command } from 'commander';
import { TactusError } from '../../contract/errors.js';
import { act } from '../context.js';
import { exitCodes } from '../terminal/exit-codes.js';
import { followHere, type AnswerFlags } from './follow-run.js';
import { readProcedure } from '../procedures/read-procedure.js';
import { withSession, type Session } from '../session.js';
import { collect, withStartOptions, type StartFlags } from './start-options.js';
import { startRun } from './start-run.js';
import { startedText } from './run-text.js';
import { workerCommand } from '../connection.js';

interface RunFlags extends StartFlags, AnswerFlags {
  detach?: boolean;
}

/** `run FILE [TASK]`: starts a procedure and follows it. */
export function runCommand(): Command {
  return withStartOptions(new Command('run'))
    .description('start a procedure and follow it; you answer requests in the terminal')
    .option('--respond <json>', 'answer to the next human request; may be repeated', collect, [])
    .option('--as <who>', 'name of the person who answers (default: your account)')
    .option('--mock', 'do not call models: agents, tools and models answer as the Mocks of the file say')
    .option('--detach', "start it and don't follow; needs a worker that goes on")
    .action(
      act(async (context, flags: RunFlags, file: string, task?: string) => {
        const procedure = await readProcedure(file, task, flags, context.screen);
        return withSession(context, async (session) => {
          if (flags.detach === true) await requireWorker(session, file);
          const run = await startRun(session, context.screen, procedure, flags);
          if (flags.detach !== true) return followHere(session, context.screen, run, flags);
          context.screen.answer(...(await startedText(run, procedure.source)));
          return exitCodes.done;
        });
      }),
    );
}

async function requireWorker(session: Session, file: string): Promise<void> {
  if (await session.hasLiveWorker()) return;
  throw new TactusError(
    'no_worker',
    `No worker goes on with a detached run; nothing was started. Start one first, and leave it running: ${workerCommand(session, file)}`,
  );
}
