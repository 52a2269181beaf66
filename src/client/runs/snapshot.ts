import type { Client } from '@temporalio/client';
import { comparePositions, type Checkpoint } from '../../contract/checkpoints/checkpoint.js';
import { hasCode } from '../../contract/errors.js';
import { defined, isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { isOver, runStatuses, type LogEntryView, type RunStatus } from '../../contract/runs/run-view.js';
import { startOf } from '../../log/compaction.js';
import { unpackLog } from '../../log/pack.js';
import { namespaceIdOf } from '../server/server-calls.js';
import { serverRun, type ServerRow } from '../lists/server-runs.js';
import { readCheckpoints } from './exact-log.js';
import { passesBefore, upTo } from './passes.js';
import type {
  CheckpointEntry,
  Growth,
  MirrorMark,
  ProcedureMetadata,
  SourceLocation,
} from '../storage/procedure-metadata.js';
import { stuckError } from '../health/trouble.js';
import { TactusRun } from '../tactus-run.js';
import { viewRun, type Asking, type RunReport } from './view-run.js';

/** A run as it stands, and how well that is known. */
export interface ReadRun {
  snapshot: RunSnapshot;
  /** The log is too large for one answer, and its worker of before 0.8.0: digests, codes of errors, and what a procedure keeps to itself are missing from it. */
  isRough: boolean;
  /** Why the run itself couldn't say how it stands, of one that is over: then only the server's word on it is there. */
  unread: string | null;
}

/** How often a run is asked anew that goes on while it is asked. */
const mostLooks = 5;

/**
 * Reads all of a run that its record has: by the server its end, by the run everything else. Null where the server has no such run.
 * @throws TactusError no_worker, run_stuck of an open run, and of any where the answer got lost
 */
export async function readSnapshot(client: Client, runId: string, asking?: Asking): Promise<ReadRun | null> {
  for (let look = 1; ; look++) {
    const row = await serverRun(client, runId);
    if (row === null) return null;
    const { read, isWhole } = await readOnce(client, row, asking);
    // What is told while it is asked comes later than what this says, and wins.
    if (isWhole || look === mostLooks) return read;
  }
}

async function readOnce(
  client: Client,
  row: ServerRow,
  asking: Asking | undefined,
): Promise<{ read: ReadRun; isWhole: boolean }> {
  const { run_id: runId } = row;
  const run = new TactusRun(client.workflow.getHandle(runId), runId);
  const ask = asking?.ask ?? ((question) => question());
  const report = await viewRun(run, asking);
  if (report.stuck !== null) throw stuckError(runId, report.stuck);
  const isOpen = !isOver(report.status);
  const mark = markOf(await namespaceIdOf(client), row, report);
  // Its id may have been used again, or the run have ended, between the server's word and its own.
  const isOfOne = mark.execution === row.execution && isOpen === (row.closed_at === null);
  const head = { runId, status: report.status, mark, waitingOn: report.pending[0]?.id ?? null };
  // What it ended with is no part of a record.
  if (report.incomplete !== undefined && report.version === undefined) {
    const snapshot = { ...head, state: {}, log: [] };
    return { read: { snapshot, isRough: true, unread: report.incomplete }, isWhole: isOfOne };
  }
  const state = isNote(report.state) ? await ask(() => run.state(), isOpen) : report.state;
  const { log, isRough } =
    report.checkpoints === 0 ? { log: [], isRough: false } : await ask(() => wholeLog(run, report), isOpen);
  const read = { snapshot: { ...head, state, log }, isRough, unread: null };
  if (!isOpen || !isOfOne) return { read, isWhole: isOfOne };
  const { version } = await ask(() => run.status(), true);
  const { execution, length, step } = version ?? {};
  const isWhole = execution === mark.execution && (length ?? 0) === mark.length && (step ?? 0) === mark.step;
  return { read, isWhole };
}

/** The run's own word on how far it has come; where it has none, the server's on its execution. */
function markOf(namespace: string, row: ServerRow, { version }: RunReport): MirrorMark {
  const { execution, began, length, step } = version ?? {
    ...{ execution: row.execution, began: Date.parse(row.started_at), length: 0, step: 0 },
  };
  // The run says that it has ended before the server does; and what the server says is of another execution where the id was used again.
  const over = row.closed_at !== null && execution === row.execution;
  return { namespace, execution, began, length, step, over };
}

/** A state that is too large to be shown with all else has this in its place. It may be a state like others, too. */
function isNote(state: JsonObject): boolean {
  return Object.keys(state).join() === 'note';
}

/** The log of all passes, as far as the server keeps them. */
async function wholeLog(
  run: TactusRun,
  report: Pick<RunReport, 'pass'>,
): Promise<{ log: Checkpoint[]; isRough: boolean }> {
  const { log, isRough } = await logOf(run);
  const before = await passesBefore(
    run,
    report,
    () => true,
    async (earlier, until) => {
      const { pass } = await earlier.status();
      const part = await logOf(earlier);
      return { ...part, ...defined({ pass }), log: upTo(part.log, pass?.checkpoints, until.checkpoints) };
    },
  );
  return { log: [...before.flatMap((part) => part.log), ...log], isRough };
}

/** What is read of a log that another execution can begin with: the rest is there for its replay. */
function readHere(entries: Checkpoint[]): Checkpoint[] {
  return entries.slice(startOf(entries).index);
}

async function logOf(run: TactusRun): Promise<{ log: Checkpoint[]; isRough: boolean }> {
  const packed = await run.packedCheckpoints();
  if (packed.length > 0) return { log: readHere(unpackLog(packed)), isRough: false };
  const pages = await readCheckpoints(run).catch(unregistered);
  if (pages !== null) return { log: readHere(pages.entries), isRough: false };
  const { execution_log: entries } = await run.log();
  return { log: entries.map(toCheckpoint), isRough: true };
}

/** Workers of before 0.8.0 don't hand a log out in pages: they answer other questions, and not this one. */
function unregistered(error: unknown): null {
  if (hasCode(error, 'internal')) return null;
  throw error;
}

/** An entry of the log as it is shown. */
function toCheckpoint(entry: LogEntryView): Checkpoint {
  const { position, type, name, input, result, error } = entry;
  return {
    position,
    type: type as Checkpoint['type'],
    name,
    digest: '',
    outcome: error === null ? { ok: true, value: result } : { ok: false, code: 'lua_error', message: error },
    at: Date.parse(entry.timestamp),
    durationMs: entry.duration_ms,
    source: entry.source,
    input,
  };
}

/** What is known of a run; the log in any order. */
export interface RunSnapshot {
  runId: string;
  status: RunStatus;
  state: JsonObject;
  log: readonly Checkpoint[];
  /** The human request that the run waits for. */
  waitingOn: string | null;
  /** How far it had come; null where it doesn't count. */
  mark: MirrorMark | null;
}

/**
 * A run as Tactus shows it. Its positions are integers, so the log holds the top level only: what happened inside
 * of a step, a turn or a branch is part of that entry's result.
 */
export function toProcedureMetadata(run: RunSnapshot): ProcedureMetadata {
  const log = toEntries(run);
  return {
    ...headOf(run),
    procedure_id: run.runId,
    execution_log: log,
    replay_index: log.length,
    lua_state: {},
  };
}

/** What is new of a run, whose record has `from` entries. */
export function toGrowth(run: RunSnapshot, from: number): Growth {
  return { ...headOf(run), from, entries: toEntries(run) };
}

function headOf({ state, status, waitingOn, mark }: RunSnapshot): Omit<Growth, 'from' | 'entries'> {
  return {
    ...{ state, status: toTactusStatus(status), waiting_on_message_id: waitingOn },
    ...(mark === null ? {} : { mirrored: mark }),
  };
}

function toEntries({ runId, log }: RunSnapshot): CheckpointEntry[] {
  return log
    .filter(({ position }) => !position.includes('.'))
    .sort((a, b) => comparePositions(a.position, b.position))
    .map((checkpoint) => toEntry(runId, checkpoint));
}

function toEntry(runId: string, checkpoint: Checkpoint): CheckpointEntry {
  return {
    position: Number(checkpoint.position),
    type: toTactusType(checkpoint),
    result: toResult(checkpoint),
    timestamp: toTimestamp(checkpoint.at),
    duration_ms: checkpoint.durationMs,
    input_hash: checkpoint.digest === '' ? null : checkpoint.digest,
    run_id: runId,
    source_location: toSourceLocation(checkpoint),
    captured_vars: null,
  };
}

/** The turns of an agent carry its name, as Tactus itself writes them. */
function toTactusType({ type, name }: Checkpoint): string {
  return type === 'agent_turn' ? `agent_${name}_turn` : type;
}

/** Tactus records no failures; here they are, under a key that says what they are. */
function toResult(checkpoint: Checkpoint): JsonValue {
  const { outcome, type, at } = checkpoint;
  if (!outcome.ok) return { error: { code: outcome.code, message: outcome.message } };
  return type.startsWith('hitl_') ? toHitlResponse(outcome.value, at) : outcome.value;
}

/** The form in which Tactus's file storage keeps an answer, and makes its `HITLResponse` of it again. */
function toHitlResponse(answer: JsonValue, at: number): JsonObject {
  const isAnswer =
    isObject(answer) && typeof answer.timed_out === 'boolean' && Object.hasOwn(answer, 'value');
  return {
    __pydantic__: true,
    __model__: 'HITLResponse',
    value: isAnswer ? (answer.value ?? null) : answer,
    responded_at: toTimestamp(at),
    timed_out: isAnswer ? (answer.timed_out ?? false) : false,
  };
}

function toSourceLocation({ source }: Checkpoint): SourceLocation | null {
  return source === null
    ? null
    : { file: source.file, line: source.line, function: null, code_context: null };
}

/** Tactus's own six names, and others in the same manner for what it doesn't know. */
const tactusStatuses: Record<RunStatus, string> = {
  running: 'RUNNING',
  waiting_for_human: 'WAITING_FOR_HUMAN',
  waiting_for_time: 'WAITING_FOR_TIME',
  waiting_for_children: 'WAITING_FOR_CHILDREN',
  paused: 'PAUSED',
  cancelling: 'CANCELLING',
  completed: 'COMPLETED',
  failed: 'FAILED',
  cancelled: 'CANCELLED',
  terminated: 'TERMINATED',
  timed_out: 'TIMED_OUT',
};

/** The status of a run in Tactus's words. */
export function toTactusStatus(status: RunStatus): string {
  return tactusStatuses[status];
}

/** The status that Tactus calls so; undefined where it is none of a run's. */
export function fromTactusStatus(status: string): RunStatus | undefined {
  return runStatuses.find((each) => tactusStatuses[each] === status);
}

/** Those of runs that have not ended. */
export const openTactusStatuses: readonly string[] = runStatuses
  .filter((status) => !isOver(status))
  .map(toTactusStatus);

/** A time as records have it: ISO 8601 with `+00:00`, as Python 3.10 can't read the `Z` that JavaScript writes. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '+00:00');
}
