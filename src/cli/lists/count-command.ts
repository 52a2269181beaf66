import { Command } from 'commander';
import { act } from '../context.js';
import { exitCodes } from '../terminal/exit-codes.js';
import { runFilter, runFilters, type RunFilterFlags } from './run-filter.js';
import { withSession } from '../session.js';

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
