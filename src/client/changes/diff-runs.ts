import type { ComparedEntry, RunDiff } from '../../contract/changes/run-diff.js';
import { canonicalJson, isObject, type JsonValue } from '../../contract/json/json.js';
import type { LogEntryView } from '../../contract/runs/run-view.js';
import { diffLogs } from '../../log/diff.js';
import { readRequestedEffects, wholeRequest } from '../runs/replayed-program.js';
import type { TactusRun } from '../tactus-run.js';

/** The log of a run, with all of its passes. */
interface ReadLog {
  runId: string;
  entries: readonly LogEntryView[];
  missing: number;
}

/**
 * Compares the logs of two runs, of the same procedure or of two: what was asked for at each position, and what came of it. Times and
 * durations are not compared, nor are ids that differ only by the id of their run.
 * @throws TactusError run_not_found; usage where the content of a run isn't shown
 */
export async function diffRuns(left: TactusRun, right: TactusRun): Promise<RunDiff> {
  const [one, other] = await Promise.all([readLog(left), readLog(right)]);
  // What is missing of one of them can't be compared.
  const isKept = ({ position }: LogEntryView): boolean => isSince(position, one) && isSince(position, other);
  const { same, entries } = diffLogs(one.entries.filter(isKept), other.entries.filter(isKept), (a, b) =>
    isSameEntry(a, b, [one.runId, other.runId]),
  );
  return {
    same,
    entries: entries.map((each) => ({
      position: each.position,
      left: comparedOf(each.left),
      right: comparedOf(each.right),
    })),
    missing: { left: one.missing, right: other.missing },
  };
}

async function readLog(run: TactusRun): Promise<ReadLog> {
  const asked = await readRequestedEffects(run);
  const { replay_index: all, execution_log: shown } = await run.log({ all: true });
  // The log shows a part of what was sent: a path, and not what was written there.
  const entries = shown.map((each) => ({ ...each, input: wholeRequest(asked, each.position) ?? each.input }));
  return { runId: run.runId, entries, missing: Math.max(0, all - entries.length) };
}

/** Positions at the top level go on from pass to pass. */
function isSince(position: string, { missing, entries: [oldest] }: ReadLog): boolean {
  if (missing === 0 || oldest === undefined) return true;
  return Number.parseInt(position) >= Number.parseInt(oldest.position);
}

function comparedOf(entry: LogEntryView | null): ComparedEntry | null {
  if (entry === null) return null;
  const { type, name, input, result, error } = entry;
  return { type, name, input, result, error };
}

function isSameEntry(left: LogEntryView, right: LogEntryView, [leftId, rightId]: [string, string]): boolean {
  return textOf(left, leftId) === textOf(right, rightId);
}

function textOf({ type, name, input, result, error }: LogEntryView, runId: string): string {
  return canonicalJson(withoutRun([type, name, input, result, error], runId));
}

/** The value with what its run and its child runs and requests are called by the same name, whatever the run's id is. */
function withoutRun(value: JsonValue, runId: string): JsonValue {
  if (typeof value === 'string') {
    const isOfRun = value === runId || value.startsWith(`${runId}/`);
    return isOfRun ? `<run>${value.slice(runId.length)}` : value;
  }
  if (Array.isArray(value)) return value.map((each) => withoutRun(each, runId));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutRun(each, runId)]));
}
