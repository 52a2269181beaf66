import { Command, Option } from 'commander';
import { listRuns, type ListedRun } from '../../client/list-runs.js';
import { runStatuses } from '../../contract/status.js';
import { act } from '../context.js';
import { TactusError } from '../../contract/errors.js';
import { exitCodes } from '../exit-codes.js';
import { fullRuns } from '../full-runs.js';
import { withSession } from '../session.js';

interface ListFlags {
  status?: string;
  procedure?: string;
  prefix?: string;
  limit: string;
  after?: string;
}

/** `list`: what runs there are, newest first. */
export function listCommand(): Command {
  return new Command('list')
    .description('list runs, newest first')
    .addOption(new Option('--status <status>', 'only runs that stand so').choices([...runStatuses]))
    .option('--procedure <name>', 'only runs of this procedure')
    .option('--prefix <text>', 'only runs whose id begins so')
    .option('--limit <number>', 'at most so many', '50')
    .option('--after <next>', 'go on where a list ended: its `next`')
    .action(
      act(async (context, flags: ListFlags) => {
        const { status, procedure, prefix, after } = flags;
        const limit = readLimit(flags.limit);
        return withSession(context, async (session) => {
          const { runs, next } = await listRuns(session.client, { status, procedure, prefix, after, limit });
          if (context.options.json === true) {
            await session.provideWorker({ performs: false });
            context.screen.answer({ runs: await fullRuns(session, runs), next }, () => '');
          } else {
            context.screen.answer(null, () => (runs.length === 0 ? 'no runs' : tableOf(runs)));
            if (next !== null) context.screen.note(`There are more: --after ${next}`);
          }
          return exitCodes.done;
        });
      }),
    );
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 1_000) return limit;
  throw new TactusError('usage', `--limit takes a number from 1 to 1000, not ${JSON.stringify(text)}`);
}

function tableOf(runs: ListedRun[]): string {
  const width = Math.max(...runs.map(({ run_id }) => run_id.length));
  return runs
    .map(
      (run) => `${run.run_id.padEnd(width)}  ${run.status.padEnd(20)}  ${run.started_at}  ${run.procedure}`,
    )
    .join('\n');
}
