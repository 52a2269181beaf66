import { Command, Option } from 'commander';
import { findStuck } from '../../client/find-stuck.js';
import { listRuns, type ListedRun } from '../../client/list-runs.js';
import { stuckText } from '../../client/stuck-error.js';
import type { Stuck } from '../../client/stuck.js';
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
          const stuck = await findStuck(session.client, runs);
          if (context.options.json === true) {
            context.screen.answer({ runs: await fullRuns(session, runs, stuck), next }, () => '');
          } else {
            context.screen.answer(null, () => (runs.length === 0 ? 'no runs' : tableOf(runs, stuck)));
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

function tableOf(runs: ListedRun[], stuck: ReadonlyMap<string, Stuck>): string {
  const width = Math.max(...runs.map(({ run_id }) => run_id.length));
  return runs
    .map((run) => {
      const line = `${run.run_id.padEnd(width)}  ${run.status.padEnd(20)}  ${run.started_at}  ${run.procedure}`;
      const fault = stuck.get(run.run_id);
      return fault === undefined ? line : `${line}\n  stuck ${stuckText(fault)}`;
    })
    .join('\n');
}
