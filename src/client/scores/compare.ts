import { TactusError } from '../../contract/errors.js';
import type { EndMarks } from '../../contract/runs/marks.js';
import type { RunStatus } from '../../contract/runs/run-view.js';
import { isTrial } from '../../contract/changes/trial.js';
import { estimate, type Estimate } from '../../contract/scores/estimate.js';
import type { Score } from '../../contract/scores/score.js';
import type { IndexedRunFilter } from '../../read-model/run-index.js';
import { eachLimit } from '../concurrency.js';
import type { ListedRun } from '../lists/server-runs.js';
import type { RunList } from '../lists/list-runs.js';
import type { ScoresOfRuns } from './run-scores.js';

export interface CompareOptions {
  by: 'version' | 'variant';
  /** Runs that were started then or later; ISO 8601, UTC. Left out: whenever. */
  since?: string | undefined;
  /** The newest so many runs, 10,000 at most; left out: 1,000. */
  limit?: number;
}

/** What runs with one thing in common came to. */
export interface ComparedGroup {
  /** `3`, or `tone=warm`; null: runs that were not started as published, or have no variant. */
  group: string | null;
  runs: number;
  by_status: Partial<Record<RunStatus, number>>;
  /** By name: of numbers the mean, of yes and no the share of yes. Several people count as one run, with their mean. */
  scores: Record<string, Estimate>;
  /** Of runs whose cost is known; null: of none. */
  cost_usd: Estimate | null;
  /** From start to end, of runs that have ended. */
  seconds: Estimate | null;
  /** Approvals that people have decided, and how many of them with yes. */
  decisions: { decided: number; approved: number };
}

export interface Comparison {
  name: string;
  by: 'version' | 'variant';
  /** How many runs were looked at. */
  runs: number;
  /** There are more of them. */
  is_cut: boolean;
  groups: ComparedGroup[];
}

/** Where runs and their scores are read. */
interface ComparedRuns {
  list(filter: IndexedRunFilter): Promise<RunList>;
  readonly scores: ScoresOfRuns;
}

type Row = Omit<ListedRun, keyof EndMarks> & EndMarks;

const pageSize = 1_000;
const mostRuns = 10_000;
const atOnce = 10;

/**
 * Compares runs of a procedure by the version that they were started with, or by the variants that they have. No run is asked: lists and memos
 * have all of it, but what a run has cost that was terminated.
 * @throws TactusError usage where the limit is none
 */
export async function compareRuns(
  tactus: ComparedRuns,
  name: string,
  { by, since, limit = 1_000 }: CompareOptions,
): Promise<Comparison> {
  if (!Number.isInteger(limit) || limit < 1 || limit > mostRuns)
    throw new TactusError('usage', `A comparison is of 1 to ${mostRuns} runs, not of ${limit}`);
  const { rows, isCut } = await rowsOf(tactus, { procedure: name, since }, limit);
  const groups = new Map<string | null, { row: Row; scores: readonly Score[] }[]>();
  const scored = new Map<string, readonly Score[]>();
  await eachLimit(rows, atOnce, async (row) => {
    scored.set(row.run_id, (await tactus.scores.of(row.run_id, row)).scores);
  });
  for (const row of rows)
    for (const group of groupsOf(row, by)) {
      const members = groups.get(group) ?? [];
      members.push({ row, scores: scored.get(row.run_id) ?? [] });
      groups.set(group, members);
    }
  const sorted = [...groups].sort(([a], [b]) => compareGroups(a, b));
  return {
    ...{ name, by, runs: rows.length, is_cut: isCut },
    groups: sorted.map(([group, members]) => compared(group, members)),
  };
}

async function rowsOf(
  tactus: ComparedRuns,
  filter: { procedure: string; since: string | undefined },
  limit: number,
): Promise<{ rows: Row[]; isCut: boolean }> {
  const rows: Row[] = [];
  for (let after: string | undefined; ;) {
    const { runs, next } = await tactus.list({
      ...filter,
      after,
      limit: Math.min(pageSize, limit - rows.length),
    });
    rows.push(...runs.filter(({ run_id: id }) => !isTrial(id)));
    if (next === null || rows.length >= limit) return { rows, isCut: next !== null };
    after = next;
  }
}

function groupsOf({ published, variants }: Row, by: CompareOptions['by']): (string | null)[] {
  if (by === 'version') return [published === undefined ? null : String(published.version)];
  const own = Object.entries(variants ?? {}).map(([experiment, variant]) => `${experiment}=${variant}`);
  return own.length === 0 ? [null] : own;
}

/** Versions by their number, all else by its letters, and what has none at the end. */
function compareGroups(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a.localeCompare(b, 'en', { numeric: true });
}

function compared(
  group: string | null,
  members: readonly { row: Row; scores: readonly Score[] }[],
): ComparedGroup {
  const by_status: ComparedGroup['by_status'] = {};
  const values = new Map<string, { ofRuns: number[]; isShare: boolean }>();
  const decisions = { decided: 0, approved: 0 };
  for (const { row, scores } of members) {
    by_status[row.status] = (by_status[row.status] ?? 0) + 1;
    decisions.decided += row.decisions?.decided ?? 0;
    decisions.approved += row.decisions?.approved ?? 0;
    for (const name of new Set(scores.map((score) => score.name))) {
      const own = scores.filter((score) => score.name === name).map(({ value }) => value);
      const mean = own.reduce<number>((sum, value) => sum + Number(value), 0) / own.length;
      const known = values.get(name) ?? { ofRuns: [], isShare: true };
      known.ofRuns.push(mean);
      // People who don't agree leave a mean between no and yes.
      known.isShare &&= own.every((value) => typeof value === 'boolean') && Number.isInteger(mean);
      values.set(name, known);
    }
  }
  const rows = members.map(({ row }) => row);
  const costs = rows.flatMap(({ usage }) => (usage?.cost_usd == null ? [] : [usage.cost_usd]));
  const times = rows.flatMap(({ started_at, closed_at }) =>
    closed_at === null ? [] : [(Date.parse(closed_at) - Date.parse(started_at)) / 1_000],
  );
  const estimates = [...values]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, { ofRuns, isShare }]) => {
      const found = estimate(ofRuns, isShare);
      return found === null ? [] : [[name, found] as const];
    });
  return {
    ...{ group, runs: members.length, by_status, scores: Object.fromEntries(estimates) },
    ...{ cost_usd: estimate(costs), seconds: estimate(times), decisions },
  };
}
