import { Command } from 'commander';
import { readRetry } from '../../client/runs/index.js';
import { describeRun, refuseStuck } from '../../client/index.js';
import { collectFile } from '../../sources/collect-source.js';
import { act, exitCodes, ownCommand, lastArgument } from '../command.js';
import { withSession } from '../session.js';
import { answerPlan, consentOf, withChangeFlags, type ChangeFlags } from './change-flags.js';

/** `retry RUN`: a run that has failed goes on under its id, from what failed. */
export function retryCommand(): Command {
  const command = new Command('retry')
    .description('go on with a run that has failed: what failed is tried again, and nothing before it')
    .argument('<run>', 'id of the run');
  return withChangeFlags(command).action(
    act(async (context, flags: ChangeFlags, runId: string) => {
      const source = flags.source === undefined ? undefined : await collectFile(flags.source);
      return withSession(context, async (session) => {
        const run = session.tactus.attach(runId);
        await refuseStuck(run, await describeRun(run));
        const options = { source, ...consentOf(flags) };
        const retry = await session.ask(() => readRetry(session.tactus.client, run, options));
        await session.endWorker();
        const { at, plan, leftBehind } = retry;
        const told = { run_id: runId, from: runId, at, left_behind: leftBehind, plan };
        if (flags.dryRun === true) return answerPlan(context, told, source);
        await session.tactus.startFork(retry);
        context.screen.answer(told, () => runId);
        context.screen.note(
          `It keeps ${plan.kept} checkpoints: ${ownCommand(`resume ${lastArgument(runId)}`)}`,
        );
        for (const each of leftBehind) context.screen.note(`Left behind: ${each}.`);
        return exitCodes.done;
      });
    }),
  );
}
