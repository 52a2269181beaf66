import { Command, Option } from 'commander';
import { act, collect, exitCodes, hasCode, readTime, shellWord, TactusError } from '../command.js';
import { preferIndex } from './open-index.js';
import { withSession, type Session } from '../session.js';
import { forkText } from '../../contract/changes/forked-from.js';
import { labelItems, readLabels } from '../../contract/runs/labels.js';
import { runStatuses } from '../../contract/runs/run-view.js';
import type { IndexedRun, IndexedRunFilter, RunCountFilter, RunIndex } from '../../read-model/run-index.js';
import {
  checkIndex,
  findTrouble,
  freshenIndex,
  isFresh,
  listRuns,
  stuckText,
  type ListedRun,
  type Retrying,
  type RunReport,
  type Trouble,
} from '../../client/index.js';
import { versionText } from '../../contract/procedures/published.js';
import { usageTexts } from '../../contract/models/model-call.js';

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
        return withSession(context, async (session) => {
          const index = await session.index();
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
        });
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
  forkedFrom?: string;
  label: string[];
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
    .option('--label <key=value>', 'only runs with this label; may be repeated', collect, [])
    .option('--forked-from <run>', 'only forks of this run')
    .option('--open', 'only runs that have not ended')
    .option('--since <time>', 'only runs started at this time or later: a date, or an age such as 24h or 7d')
    .option('--until <time>', 'only runs started before that');
}

/**
 * What the flags leave; `now` in ms since 1970.
 * @throws TactusError usage of what is no time
 */
function runFilter(flags: RunFilterFlags, now: number): RunCountFilter {
  const { status, procedure, prefix, open = false, since, until, label, forkedFrom } = flags;
  return {
    ...{ status, procedure, prefix, isOpen: open, forkedFrom },
    ...(label.length === 0 ? {} : { labels: readLabels(label) }),
    since: since === undefined ? undefined : readTime(since, '--since', now),
    until: until === undefined ? undefined : readTime(until, '--until', now),
  };
}

const atOnce = 5;

/** A run of a list, as `status` shows it, without its output and state. Only what the server's list has is sure to be there. */
type FullRun = ListedRun & Partial<Omit<RunReport, 'output' | 'state'>>;

/** Asks a worker for what the server's list doesn't have; a run that doesn't answer stays as the list has it. */
async function fullRuns(
  session: Session,
  runs: readonly ListedRun[],
  trouble: ReadonlyMap<string, Trouble>,
): Promise<FullRun[]> {
  const full: FullRun[] = runs.map((run) => ({
    ...run,
    ...(trouble.get(run.run_id) ?? { stuck: null, retrying: [] }),
  }));
  let next = 0;
  let isAnswered = true;
  const work = async (): Promise<void> => {
    while (next < runs.length && isAnswered) {
      const index = next++;
      const run = runs[index];
      if (run === undefined) return;
      try {
        const { output: _output, state: _state, ...view } = await session.view(run.run_id);
        full[index] = view;
      } catch (error) {
        // Without a worker, none of the others would answer either.
        const isAlone = hasCode(error, 'no_worker');
        if (isAlone && session.embedded === null) isAnswered = false;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return full;
}

/** A list of runs, and whence it comes. */
interface Listed {
  source: 'index' | 'runs';
  runs: ListedWithFacts[];
  next: string | null;
  trouble: ReadonlyMap<string, Trouble>;
  /** The same runs with what they have told. */
  full: () => Promise<FullRun[]>;
}

/** Runs as the server and the runs themselves say. */
async function listFromRuns(session: Session, filter: IndexedRunFilter): Promise<Listed> {
  const { runs, next } = await listRuns(session.client, filter);
  const trouble = await findTrouble(session.client, runs);
  return { source: 'runs', runs, next, trouble, full: () => fullRuns(session, runs, trouble) };
}

/**
 * Runs as the index has them. Where it isn't sure of all, the runs in question are asked, or, for those who want no more
 * than the server's list has (`brief`), that list is taken.
 */
async function listFromIndex(
  session: Session,
  index: RunIndex,
  filter: IndexedRunFilter,
  { brief }: { brief: boolean },
): Promise<Listed> {
  const { client } = session;
  if (brief && !isFresh(await checkIndex(client, index))) return listFromRuns(session, filter);
  if (!brief) await freshenIndex(client, index, { ask: (runId) => session.view(runId) });
  const { items, next } = await index.runs(filter);
  const trouble = await findTrouble(client, items);
  return { source: 'index', runs: items, next, trouble, full: () => fullOf(index, items, trouble) };
}

/** Nobody is asked: what a run has printed and logged isn't there. */
async function fullOf(
  index: RunIndex,
  runs: readonly IndexedRun[],
  trouble: ReadonlyMap<string, Trouble>,
): Promise<FullRun[]> {
  return Promise.all(
    runs.map(async ({ execution: _, isFinal: _final, length: _length, ...run }) => ({
      ...run,
      pending: await requestsOf(index, run.run_id),
      ...(trouble.get(run.run_id) ?? { stuck: null, retrying: [] }),
    })),
  );
}

async function requestsOf(index: RunIndex, runId: string): Promise<NonNullable<FullRun['pending']>> {
  const pending: NonNullable<FullRun['pending']> = [];
  for (let after: string | undefined; ;) {
    const { items, next } = await index.requests({ runIds: [runId], limit: 1_000, after });
    pending.push(...items.map(({ procedure: _, ...request }) => request));
    if (next === null) return pending;
    after = next;
  }
}

/** A run of a list: what the server knows, and what the index does, where there is one. */
type ListedWithFacts = ListedRun & Partial<Pick<IndexedRun, 'checkpoints' | 'usage' | 'error'>>;

/** Columns of a line below a run's own, so that it fits a small terminal. */
const mostColumns = 80;

/** A list of runs, a line each; below it what it has used, what it failed with, and what it tries again. */
export function listText(runs: readonly ListedWithFacts[], trouble: ReadonlyMap<string, Trouble>): string {
  const width = Math.max(...runs.map(({ run_id }) => oneLine(run_id).length));
  return runs
    .map((run) => {
      const line = `${oneLine(run.run_id).padEnd(width)}  ${run.status.padEnd(20)}  ${run.started_at}  ${oneLine(run.procedure)}`;
      const { stuck = null, retrying = [] } = trouble.get(run.run_id) ?? {};
      return [
        line,
        ...factsOf(run).map(short),
        ...retrying.map((call) => short(untilText(call))),
        ...(stuck === null ? [] : [`stuck ${oneLine(stuckText(stuck))}`]),
      ].join('\n  ');
    })
    .join('\n');
}

function factsOf({
  published,
  forked_from: fork,
  labels = {},
  variants = {},
  checkpoints,
  usage,
  error,
}: ListedWithFacts): string[] {
  const used = [
    ...(checkpoints === undefined
      ? []
      : [`${checkpoints} ${checkpoints === 1 ? 'checkpoint' : 'checkpoints'}`]),
    ...(usage === undefined ? [] : usageTexts(usage)),
    ...(published === undefined ? [] : [versionText(published)]),
    ...(fork === undefined ? [] : [forkText(fork)]),
    ...labelItems(labels),
    ...labelItems(variants),
  ];
  return [
    ...(used.length === 0 ? [] : [used.join(', ')]),
    ...(error === undefined || error === null ? [] : [`error ${error.code}: ${error.message.trimStart()}`]),
  ];
}

function untilText({ attempt, attempts, message, next_at }: Retrying): string {
  const of = attempts === null || attempt > attempts ? '' : ` of ${attempts}`;
  const when = next_at === null ? 'retrying now' : `retrying until ${next_at}`;
  return `${when}, attempt ${attempt}${of}: ${message.trimStart()}`;
}

/** The first line, cut to the columns that are left of the indentation. */
function short(text: string): string {
  const line = oneLine(text.split(/[\r\n]/, 1)[0] ?? '');
  const most = mostColumns - 2;
  if (line.length <= most) return line;
  // Not the first half of a character alone.
  return `${line.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Nothing of a run's begins a line of its own, which could be taken for that of another run. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
