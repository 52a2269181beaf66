import { Command } from 'commander';
import { readFork } from '../../client/runs/index.js';
import { describeRun, refuseStuck } from '../../client/index.js';
import { collectFile } from '../../sources/collect-source.js';
import { TactusError, act, exitCodes, ownCommand, lastArgument } from '../command.js';
import { answerPlan, consentOf, withChangeFlags, type ChangeFlags } from '../changes/change-flags.js';
import { planLines } from '../changes/plan-text.js';
import { readValue } from './read-input.js';
import { withSession } from '../session.js';

interface ForkFlags extends ChangeFlags {
  at?: string;
  set?: string;
  id?: string;
}

/** `fork RUN --at POSITION`: starts another run with the log of one up to a checkpoint. */
export function forkCommand(): Command {
  const command = new Command('fork')
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
    .option('--id <run>', 'id of the new run (default: generated)');
  return withChangeFlags(command).action(
    act(async (context, { at, set, id, ...flags }: ForkFlags, runId: string) => {
      if (at === undefined)
        throw new TactusError(
          'usage',
          `fork needs --at; tactus-temporal log ${lastArgument(runId)} shows the positions`,
        );
      const source = flags.source === undefined ? undefined : await collectFile(flags.source);
      const value = set === undefined ? undefined : await readValue(set, '--set');
      return withSession(context, async (session) => {
        const run = session.tactus.attach(runId);
        await refuseStuck(run, await describeRun(run));
        const options = { at, set: value, source, runId: id, ...consentOf(flags) };
        const fork = await session.ask(() => readFork(run, options));
        await session.endWorker();
        const { checkpoints, leftBehind, plan } = fork;
        const told = { from: runId, forked_from: runId, at, checkpoints, left_behind: leftBehind, plan };
        if (flags.dryRun === true) return answerPlan(context, { run_id: null, ...told }, source);
        const forked = await session.tactus.startFork(fork);
        context.screen.answer({ run_id: forked.runId, ...told }, () => forked.runId);
        if (plan.changed.length > 0)
          context.screen.note(planLines({ ...plan, again: [] }, source).join('\n'));
        context.screen.note(
          `It begins with ${checkpoints} checkpoints: ${ownCommand(`resume ${lastArgument(forked.runId)}`)}`,
        );
        for (const each of leftBehind) context.screen.note(`Left behind: ${each}.`);
        return exitCodes.done;
      });
    }),
  );
}
