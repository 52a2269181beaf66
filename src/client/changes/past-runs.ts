import type { Checkpoint } from '../../contract/checkpoints/checkpoint.js';
import { isTrial } from '../../contract/changes/trial.js';
import { isOver, type RunStatus } from '../../contract/runs/run-view.js';
import type { RunStarted } from '../../contract/runs/start-input.js';
import { unpackLog } from '../../log/pack.js';
import { readExported } from '../runs/import/read-import.js';
import { readCheckpoints, readShownStart } from '../runs/exact-log.js';
import { wholeLog } from '../runs/read-fork.js';
import { describeRun, endOf } from '../runs/view-run.js';
import type { TactusClient } from '../tactus-client.js';
import type { TactusRun } from '../tactus-run.js';

/** A run with its log, of its last pass. */
export interface PastRun {
  runId: string;
  status: RunStatus;
  started: RunStarted;
  log: readonly Checkpoint[];
  /** The same without snapshots; null: the server no longer has all of it. */
  wholeLog(): Promise<readonly Checkpoint[] | null>;
}

/** A run that is to be read. */
export interface PastRunPlace {
  runId: string;
  /** Of its log as it is: one of a run that goes on has none, as it changes. */
  version: string | null;
  read(): Promise<PastRun>;
}

/** A run of the server. @throws TactusError run_not_found */
export async function pastRun(run: TactusRun): Promise<PastRunPlace> {
  const { status, closeTime } = await describeRun(run);
  return placeOf(run, endOf(status.name) ?? 'running', closeTime?.toISOString() ?? null);
}

/** A run that `exportRun` has written. @throws TactusError file_failed where the text is none */
export function exportedRun(text: string, place: string): PastRunPlace {
  const { runId, started, entries: log } = readExported(text, place);
  const hasAll = log.every(({ snapshot }) => snapshot === undefined);
  const wholeLog = (): Promise<readonly Checkpoint[] | null> => Promise.resolve(hasAll ? log : null);
  const past: PastRun = { runId, status: 'running', started, log, wholeLog };
  return { runId, version: null, read: () => Promise.resolve(past) };
}

/** Which runs of a procedure are wanted. */
export interface PastRunFilter {
  procedure: string;
  /** Started then or later; ISO 8601, UTC. Left out: whenever. */
  since?: string | undefined;
  /** The newest so many. */
  limit: number;
}

/** Runs of a procedure that have ended, the newest start first. The server's list may lag a moment behind. */
export async function pastRuns(
  tactus: TactusClient,
  { limit, ...filter }: PastRunFilter,
): Promise<PastRunPlace[]> {
  const places: PastRunPlace[] = [];
  for (let after: string | undefined; ;) {
    const { runs, next } = await tactus.list({ ...filter, after, limit: pageSize });
    for (const { run_id: runId, status, closed_at: closedAt } of runs)
      if (isOver(status) && !isTrial(runId) && places.length < limit)
        places.push(placeOf(tactus.attach(runId), status, closedAt));
    if (next === null || places.length === limit) return places;
    after = next;
  }
}

const pageSize = 1_000;

function placeOf(run: TactusRun, status: RunStatus, closedAt: string | null): PastRunPlace {
  const { runId } = run;
  const read = async (): Promise<PastRun> => {
    const [started, log] = await Promise.all([readShownStart(run), readLog(run)]);
    return { runId, status, started, log, wholeLog: () => wholeLog(run) };
  };
  return { runId, version: closedAt, read };
}

/** In one answer, unless it is too large for that. */
async function readLog(run: TactusRun): Promise<readonly Checkpoint[]> {
  const packed = await run.packedCheckpoints();
  return packed.length > 0 ? unpackLog(packed) : (await readCheckpoints(run)).entries;
}
