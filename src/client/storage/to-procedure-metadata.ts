import { comparePositions, type Checkpoint } from '../../contract/checkpoints/checkpoint.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { isOver, runStatuses, type RunStatus } from '../../contract/runs/run-view.js';
import type {
  CheckpointEntry,
  Growth,
  MirrorMark,
  ProcedureMetadata,
  SourceLocation,
} from './procedure-metadata.js';

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

/** Tactus's own six names, and four in the same manner for what it doesn't know. */
const tactusStatuses: Record<RunStatus, string> = {
  running: 'RUNNING',
  waiting_for_human: 'WAITING_FOR_HUMAN',
  waiting_for_time: 'WAITING_FOR_TIME',
  waiting_for_children: 'WAITING_FOR_CHILDREN',
  paused: 'PAUSED',
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
