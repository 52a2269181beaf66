import { Command, Option } from 'commander';
import { randomUUID } from 'node:crypto';
import type { Comparison } from '../../client/index.js';
import { defined } from '../../contract/json/json.js';
import type { Estimate } from '../../contract/scores/estimate.js';
import type { RunScores, ScoreValue } from '../../contract/scores/score.js';
import {
  act,
  answerDryRun,
  exitCodes,
  readCount,
  readTime,
  TactusError,
  withDryRun,
  type DryRunFlag,
} from '../command.js';
import { preferIndex } from '../lists/open-index.js';
import { withSession } from '../session.js';

interface ScoreFlags extends DryRunFlag {
  by?: string;
  comment?: string;
}

/** `score RUN NAME VALUE`: how good a run was, also long after its end; `score list RUN`. */
export function scoreCommand(): Command {
  return withDryRun(new Command('score'))
    .description('score a run, also after its end; a later score of the same name and person takes its place')
    .argument('<run>', 'id of the run')
    .argument('<name>', 'what is scored, such as quality')
    .argument('<value>', 'a number, or true or false')
    .option('--by <who>', 'who scores it')
    .option('--comment <text>', 'why')
    .addCommand(listCommand())
    .action(
      act(
        async (context, { by, comment, dryRun }: ScoreFlags, runId: string, name: string, given: string) => {
          const value = readValue(given);
          // However often it has to be sent, it is one score.
          const options = { ...defined({ by, comment }), id: randomUUID() };
          return withSession(context, async (session) => {
            if (dryRun === true) {
              const { scores } = await session.asking.look(() => session.tactus.scores.read(runId));
              return answerDryRun(context, `score ${runId}: ${name} ${value}`, {
                run_id: runId,
                name,
                value,
                scores,
              });
            }
            const scores = await session.ask(() => session.tactus.scores.add(runId, name, value, options));
            context.screen.answer(scores, () => scoresText(scores));
            return exitCodes.done;
          });
        },
      ),
    );
}

function listCommand(): Command {
  return new Command('list')
    .description('list the scores of a run')
    .argument('<run>', 'id of the run')
    .action(
      act(async (context, _flags: object, runId: string) =>
        withSession(context, async (session) => {
          const scores = await session.asking.look(() => session.tactus.scores.read(runId));
          context.screen.answer(scores, () => scoresText(scores));
          return exitCodes.done;
        }),
      ),
    );
}

/** @throws TactusError usage */
function readValue(text: string): ScoreValue {
  if (text === 'true' || text === 'false') return text === 'true';
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value)) return value;
  throw new TactusError('usage', `A score is a number, or true or false, not ${JSON.stringify(text)}`);
}

function scoresText({ scores }: RunScores): string {
  if (scores.length === 0) return 'no scores';
  return scores
    .map(({ name, value, by, comment, at }) => {
      const who = by === null ? '' : ` by ${by}`;
      return `${name}  ${value}  ${at}${who}${comment === null ? '' : `: ${comment.replace(/\s+/g, ' ')}`}`;
    })
    .join('\n');
}

interface CompareFlags {
  by: 'version' | 'variant';
  since?: string;
  limit: string;
}

/** `compare NAME --by version|variant`: what the runs of each came to. */
export function compareCommand(): Command {
  return new Command('compare')
    .description('compare runs of a procedure by their version or by their variants')
    .argument('<name>', 'name of the procedure')
    .addOption(
      new Option('--by <what>', 'what tells the runs apart')
        .choices(['version', 'variant'])
        .makeOptionMandatory(),
    )
    .option('--since <time>', 'only runs started at this time or later: a date, or an age such as 24h or 7d')
    .option('--limit <number>', 'largest number of runs, the newest first', '1000')
    .action(
      act(async (context, { by, since, limit }: CompareFlags, name: string) => {
        const options = {
          ...{ by, limit: readCount(limit, '--limit') },
          ...(since === undefined ? {} : { since: readTime(since, '--since', Date.now()) }),
        };
        const { screen } = context;
        return withSession(context, async (session) => {
          const index = await session.index();
          const { namespace } = session.target;
          const compare = (used: typeof index) =>
            session.tactusOf(namespace, null, used).compare(name, options);
          const compared = await preferIndex(index, screen, compare, () => compare(null));
          screen.answer({ ...compared }, () => comparisonText(compared));
          if (compared.is_cut) screen.note(`There are more runs: --limit takes up to 10000`);
          return exitCodes.done;
        });
      }),
    );
}

/** A table with a line for each group, and what it means below. */
export function comparisonText({ by, runs, groups }: Comparison): string {
  if (runs === 0) return 'no runs';
  const names = [...new Set(groups.flatMap(({ scores }) => Object.keys(scores)))].sort();
  const head = [by, 'runs', 'completed', 'failed', ...names, 'cost USD', 'seconds', 'approved'];
  const lines = groups.map(({ group, runs: count, by_status, scores, cost_usd, seconds, decisions }) => [
    group ?? 'none',
    String(count),
    String(by_status.completed ?? 0),
    String(by_status.failed ?? 0),
    ...names.map((name) => estimateText(scores[name] ?? null)),
    ...[estimateText(cost_usd), estimateText(seconds)],
    decisions.decided === 0 ? '-' : `${decisions.approved} of ${decisions.decided}`,
  ]);
  const widths = head.map((_, i) => Math.max(...[head, ...lines].map((line) => line[i]?.length ?? 0)));
  return [head, ...lines]
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** `0.82 [0.74, 0.9] of 40`: the mean, its interval, and how many runs it is of. */
function estimateText(found: Estimate | null): string {
  if (found === null) return '-';
  const { mean, low, high, count } = found;
  const interval = low === null || high === null ? '' : ` [${shortNumber(low)}, ${shortNumber(high)}]`;
  return `${shortNumber(mean)}${interval} of ${count}`;
}

function shortNumber(value: number): string {
  return String(Number(value.toPrecision(3)));
}
