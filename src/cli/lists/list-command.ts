import { Command } from 'commander';
import { act } from '../context.js';
import { TactusError } from '../../contract/errors.js';
import { shellWord } from '../../contract/text/shell-word.js';
import { exitCodes } from '../terminal/exit-codes.js';
import { listFromIndex, listFromRuns, listText } from './listed-runs.js';
import { preferIndex, withIndex } from './open-index.js';
import { runFilter, runFilters, type RunFilterFlags } from './run-filter.js';
import { withSession } from '../session.js';

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
