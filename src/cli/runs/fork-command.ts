import { Command } from 'commander';
import { readFork } from '../../client/runs/index.js';
import { describeRun, refuseStuck } from '../../client/index.js';
import { collectFile } from '../../sources/collect-source.js';
import { TactusError, act, exitCodes, ownCommand, lastArgument } from '../command.js';
import { readValue } from './read-input.js';
import { withSession } from '../session.js';

interface ForkFlags {
  at?: string;
  set?: string;
  source?: string;
  id?: string;
}

/** `fork RUN --at POSITION`: starts another run with the log of one up to a checkpoint. */
export function forkCommand(): Command {
  return new Command('fork')
    .description(
      'start another run that begins with the log of one, and goes its own way from a checkpoint on',
    )
    .argument('<run>', 'id of the run')
    .option(
      '--at <position>',
      'the checkpoint, as log shows it: it is asked for anew, and all that came after it',
    )
    .option(
      '--set <value>',
      'what the checkpoint has come to instead, as log shows it, or what was answered: JSON, @file or - for stdin',
    )
    .option('--source <file>', 'new source of the procedure (default: the source of the run)')
    .option('--id <run>', 'id of the new run (default: generated)')
    .action(
      act(async (context, { at, set, source: file, id }: ForkFlags, runId: string) => {
        if (at === undefined)
          throw new TactusError(
            'usage',
            `fork needs --at; tactus-temporal log ${lastArgument(runId)} shows the positions`,
          );
        const source = file === undefined ? undefined : await collectFile(file);
        const value = set === undefined ? undefined : await readValue(set, '--set');
        return withSession(context, async (session) => {
          const run = session.tactus.attach(runId);
          await refuseStuck(run, await describeRun(run));
          const fork = await session.ask(() => readFork(run, { at, set: value, source, runId: id }));
          await session.endWorker();
          const forked = await session.tactus.startFork(fork);
          const { checkpoints, leftBehind } = fork;
          context.screen.answer(
            { run_id: forked.runId, forked_from: runId, at, checkpoints, left_behind: leftBehind },
            () => forked.runId,
          );
          context.screen.note(
            `It begins with ${checkpoints} checkpoints: ${ownCommand(`resume ${lastArgument(forked.runId)}`)}`,
          );
          for (const each of leftBehind) context.screen.note(`Left behind: ${each}.`);
          return exitCodes.done;
        });
      }),
    );
}
