import { stuckText } from '../../client/health/stuck-error.js';
import type { Retrying } from '../../client/health/retrying.js';
import type { Trouble } from '../../client/health/find-trouble.js';
import type { ListedRun } from '../../client/lists/server-list.js';
import { usageTexts } from '../../contract/models/usage-text.js';
import type { IndexedRun } from '../../read-model/run-index.js';

/** A run of a list: what the server knows, and what the index does, where there is one. */
export type ListedWithFacts = ListedRun & Partial<Pick<IndexedRun, 'checkpoints' | 'usage' | 'error'>>;

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

function factsOf({ checkpoints, usage, error }: ListedWithFacts): string[] {
  const used = [
    ...(checkpoints === undefined
      ? []
      : [`${checkpoints} ${checkpoints === 1 ? 'checkpoint' : 'checkpoints'}`]),
    ...(usage === undefined ? [] : usageTexts(usage)),
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
