import { Command, Option } from 'commander';
import { act, exitCodes, readDuration, TactusError, shellWord } from '../command.js';
import { listFromIndex, listFromRuns, listText } from './listed-runs.js';
import { preferIndex, withIndex } from './open-index.js';
import { withSession } from '../session.js';
import { runStatuses } from '../../contract/runs/run-view.js';
import type { RunCountFilter } from '../../read-model/run-index.js';

interface ListFlags extends RunFilterFlags {
  limit: string;
  after?: string;
  fresh?: boolean;
}

/** `list`: what runs there are, newest first. */
export function listCommand(): Command {
  return runFilters(new Command('list'))
    .description('list runs, newest first')
    .option('--limit <number>', 'largest number of results', '50')
    .option('--after <next>', 'continue after a page: its `next`')
    .option('--fresh', 'query the runs instead of the index')
    .action(
      act(async (context, flags: ListFlags) => {
        const { after } = flags;
        const filter = { ...runFilter(flags, Date.now()), after, limit: readLimit(flags.limit) };
        const { screen } = context;
        const json = context.options.json === true;
        return withSession(context, (session) =>
          withIndex(session, screen, async (index) => {
            const listed = await preferIndex(
              flags.fresh === true ? null : index,
              screen,
              (used) => listFromIndex(session, used, filter, { brief: !json }),
              () => listFromRuns(session, filter),
            );
            const { source, runs, next } = listed;
            if (json) screen.answer({ source, runs: await listed.full(), next }, () => '');
            else {
              // The embedded server has no index, and always a worker: this command brings one.
              const isStuck = [...listed.trouble.values()].some(({ stuck }) => stuck !== null);
              const isAsked = source === 'runs' && session.embedded !== null && !isStuck;
              const shown = isAsked ? await listed.full() : runs;
              screen.answer(null, () => (runs.length === 0 ? 'no runs' : listText(shown, listed.trouble)));
            }
            if (!json && next !== null) screen.note(`There are more: --after ${shellWord(next)}`);
            return exitCodes.done;
          }),
        );
      }),
    );
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 1_000) return limit;
  throw new TactusError('usage', `--limit takes a number from 1 to 1000, not ${JSON.stringify(text)}`);
}

/** `count`: how many runs there are, by how they stand. */
export function countCommand(): Command {
  return runFilters(new Command('count'))
    .description('count runs by status')
    .action(
      act(async (context, flags: RunFilterFlags) => {
        const filter = runFilter(flags, Date.now());
        return withSession(context, async (session) => {
          const counts = await session.tactus.count(filter);
          context.screen.answer({ ...counts }, () =>
            [
              ...Object.entries(counts.by_status).map(([status, count]) => `${status.padEnd(20)}  ${count}`),
              `${'in all'.padEnd(20)}  ${counts.runs}`,
            ].join('\n'),
          );
          return exitCodes.done;
        });
      }),
    );
}

interface RunFilterFlags {
  status?: string;
  procedure?: string;
  prefix?: string;
  open?: boolean;
  since?: string;
  until?: string;
}

/** The flags that leave runs out. */
function runFilters(command: Command): Command {
  return command
    .addOption(new Option('--status <status>', 'only runs with this status').choices([...runStatuses]))
    .option('--procedure <name>', 'only runs of this procedure')
    .option('--prefix <text>', 'only runs whose id begins with this text')
    .option('--open', 'only runs that have not ended')
    .option('--since <time>', 'only runs started at this time or later: a date, or an age such as 24h or 7d')
    .option('--until <time>', 'only runs started before that');
}

/**
 * What the flags leave; `now` in ms since 1970.
 * @throws TactusError usage of what is no time
 */
function runFilter(flags: RunFilterFlags, now: number): RunCountFilter {
  const { status, procedure, prefix, open = false, since, until } = flags;
  return {
    ...{ status, procedure, prefix, isOpen: open },
    since: since === undefined ? undefined : readTime(since, '--since', now),
    until: until === undefined ? undefined : readTime(until, '--until', now),
  };
}

function readTime(text: string, flag: string, now: number): string {
  const date = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(date)) return new Date(date).toISOString();
  try {
    return new Date(now - readDuration(text, flag)).toISOString();
  } catch {
    throw new TactusError(
      'usage',
      `${flag} must be a date such as 2026-11-01 or 2026-11-01T08:00Z, or a duration such as 24h or 7d, not ${JSON.stringify(text)}`,
    );
  }
}
