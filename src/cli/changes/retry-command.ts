import { Command } from 'commander';
import { readRetry } from '../../client/runs/index.js';
import { describeRun, refuseStuck } from '../../client/index.js';
import { collectFile } from '../../sources/collect-source.js';
import { act, exitCodes, ownCommand, lastArgument } from '../command.js';
import { withSession } from '../session.js';
import { planLines } from './plan-text.js';

interface RetryFlags {
  source?: string;
  dryRun?: boolean;
  yes?: boolean;
  strict?: boolean;
}

/** `retry RUN`: a run that has failed goes on under its id, from what failed. */
export function retryCommand(): Command {
  return new Command('retry')
    .description('go on with a run that has failed: what failed is tried again, and nothing before it')
    .argument('<run>', 'id of the run')
    .option('--source <file>', 'new source of the procedure (default: the source of the run)')
    .option('--dry-run', 'show the plan, and start nothing')
    .option('--yes', 'do again what may be done once only, where the plan says so')
    .option('--strict', 'refuse a source that asks for what is kept with another prompt, label or approver')
    .action(
      act(async (context, { source: file, dryRun, yes, strict }: RetryFlags, runId: string) => {
        const source = file === undefined ? undefined : await collectFile(file);
        return withSession(context, async (session) => {
          const run = session.tactus.attach(runId);
          await refuseStuck(run, await describeRun(run));
          const options = { source, dryRun, strict, mayRepeat: yes };
          const retry = await session.ask(() => readRetry(session.tactus.client, run, options));
          await session.endWorker();
          const { at, plan, leftBehind } = retry;
          const told = { run_id: runId, from: runId, at, left_behind: leftBehind, plan };
          const text = (): string => planLines(plan, source).join('\n');
          if (dryRun === true) {
            context.screen.answer(told, text);
            return plan.diverges === null && plan.fails === null ? exitCodes.done : exitCodes.failed;
          }
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
