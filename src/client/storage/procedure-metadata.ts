import { TactusError } from '../../contract/errors.js';
import { defined, isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { lackedBy, type Tail } from '../../log/pages.js';

// Types, not interfaces: only these can be handed on as JSON objects.

/** A procedure's record as Tactus keeps it: these names and shapes are its own. */
export type ProcedureMetadata = {
  procedure_id: string;
  execution_log: CheckpointEntry[];
  replay_index: number;
  state: JsonObject;
  lua_state: JsonObject;
  /** `RUNNING`, `WAITING_FOR_HUMAN`, …, `COMPLETED`, `FAILED`. */
  status: string;
  waiting_on_message_id: string | null;
  /** Of the copy of a run alone. Tactus passes it over when it reads, and drops it when it writes. */
  mirrored?: MirrorMark;
};

/** One entry of the execution log. Times are ISO 8601 with `+00:00`, which every Python reads. */
export type CheckpointEntry = {
  position: number;
  type: string;
  result: JsonValue;
  timestamp: string;
  duration_ms: number | null;
  input_hash: string | null;
  run_id: string | null;
  source_location: SourceLocation | null;
  captured_vars: JsonObject | null;
};

export type SourceLocation = {
  file: string;
  line: number;
  function: string | null;
  code_context: string | null;
};

/** The record of a procedure of which nothing is known yet. */
export function emptyMetadata(procedureId: string): ProcedureMetadata {
  return {
    procedure_id: procedureId,
    execution_log: [],
    replay_index: 0,
    state: {},
    lua_state: {},
    status: 'RUNNING',
    waiting_on_message_id: null,
  };
}

/** What is new of a procedure: entries at the end of its log, and everything else as it now stands. */
export type Growth = Tail<CheckpointEntry> & {
  state: JsonObject;
  status: string;
  waiting_on_message_id: string | null;
  mirrored?: MirrorMark;
};

/**
 * A record that has grown. Entries that it has already are replaced: what was told twice counts once. One may end after
 * those behind it.
 */
export function grown(record: ProcedureMetadata, growths: readonly Growth[]): ProcedureMetadata {
  const last = growths.at(-1);
  if (last === undefined) return record;
  const log = inOrder([...record.execution_log, ...growths.flatMap(({ entries }) => entries)]);
  return {
    ...record,
    execution_log: log,
    replay_index: log.length,
    state: last.state,
    status: last.status,
    waiting_on_message_id: last.waiting_on_message_id,
    ...defined({ mirrored: last.mirrored }),
  };
}

/** Whether a record of so many entries can grow so. `isNext`: only behind exactly those that it says. */
export function fits(count: number, growth: Growth, isNext: boolean): boolean {
  return isNext ? count === growth.from : lackedBy(count, growth) !== null;
}

/** Entries in the order of their positions; of two for one position, the later. */
export function inOrder(entries: readonly CheckpointEntry[]): CheckpointEntry[] {
  const byPosition = new Map(entries.map((entry) => [entry.position, entry]));
  return [...byPosition.values()].sort((a, b) => a.position - b.position);
}

type Check = (value: JsonValue | undefined) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isTextOrNull: Check = (value) => value === null || isText(value);
const isCount: Check = (value) => Number.isInteger(value) && Number(value) >= 0;
const isObjectOrNull: Check = (value) => value === null || isObject(value);

const recordChecks: [keyof ProcedureMetadata, Check][] = [
  ['execution_log', Array.isArray],
  ['replay_index', isCount],
  ['state', isObject],
  ['lua_state', isObject],
  ['status', isText],
  ['waiting_on_message_id', isTextOrNull],
];

const entryChecks: [string, Check][] = [
  ['position', isCount],
  ['type', isText],
  ['timestamp', isText],
  ['duration_ms', (value) => value === null || typeof value === 'number'],
  ['input_hash', isTextOrNull],
  ['run_id', isTextOrNull],
  ['source_location', isObjectOrNull],
  ['captured_vars', isObjectOrNull],
];

/** What the Python Tactus expects to find, and others may leave out. */
const entryDefaults = {
  result: null,
  duration_ms: null,
  input_hash: null,
  run_id: null,
  source_location: null,
  captured_vars: null,
};

/**
 * The record of a procedure, from JSON that someone else may have written: parts that are left out are filled in,
 * what has the wrong shape is an error. Keys of others are kept.
 */
export function completeRecord(procedureId: string, value: JsonValue): ProcedureMetadata {
  if (!isObject(value)) throw new TactusError('usage', 'a procedure record is a JSON object');
  const record: JsonObject = { ...emptyMetadata(procedureId), ...value };
  if (record.procedure_id !== procedureId) {
    const found = JSON.stringify(record.procedure_id);
    throw new TactusError('usage', `the record is that of procedure ${found}, not of "${procedureId}"`);
  }
  check(record, recordChecks, 'record');
  if (Array.isArray(record.execution_log)) record.execution_log = record.execution_log.map(completeEntry);
  return record as ProcedureMetadata;
}

/** The same for what is new of a record. */
export function completeGrowth(procedureId: string, { from, ...head }: Growth): Growth {
  const { entries, state, status, waiting_on_message_id } = head;
  if (!isCount(from)) throw new TactusError('usage', `a record can't have ${from} entries`);
  const record = completeRecord(procedureId, {
    execution_log: [...entries],
    state,
    status,
    waiting_on_message_id,
  });
  return { ...head, from, entries: record.execution_log };
}

function completeEntry(value: JsonValue, index: number): JsonObject {
  if (!isObject(value)) throw new TactusError('usage', `execution_log[${index}] is not a JSON object`);
  const entry: JsonObject = { ...entryDefaults, ...value };
  check(entry, entryChecks, `execution_log[${index}]`);
  return entry;
}

function check(object: JsonObject, checks: readonly [string, Check][], name: string): void {
  for (const [key, isRight] of checks) {
    if (!isRight(object[key]))
      throw new TactusError('usage', `${name}: ${key} is missing, or of the wrong type`);
  }
}

/** What a record says that is the copy of a run: of which, and how far the run had come, as its `RunVersion` does. */
// A type, not an interface: only these can be handed on as JSON objects.
export type MirrorMark = {
  /** Id of the namespace, as the server made it: names are given to several. */
  namespace: string;
  /** The Temporal execution. */
  execution: string;
  /** When that execution began to be worked on, in ms since 1970; the server's word is when it was started. */
  began: number;
  /** Events of its history up to its last workflow task. */
  length: number;
  /** Counts what changed within that task. */
  step: number;
  /** The server has said that the run is over. */
  over: boolean;
  /** Entries before the last are missing, as the run couldn't be asked for them. */
  partial?: true;
};

/** A mark as a record has it; null where it has none, as nobody but the mirror writes any. */
export function readMark(value: JsonValue | undefined): MirrorMark | null {
  if (value === undefined || !isObject(value)) return null;
  const { namespace, execution, began, length, step, over } = value;
  const isMark =
    [namespace, execution].every((each) => typeof each === 'string') &&
    [began, length, step].every((each) => typeof each === 'number') &&
    typeof over === 'boolean';
  return isMark ? (value as MirrorMark) : null;
}

/**
 * Whether what has one mark was told before what has the other. Executions follow each other by when they began, whether they
 * continue a run or use its id again. Nothing that an execution tells comes after its end, also what it told in a workflow task that the server
 * never took. What is whole of a task comes after what is not. Two that began at once have no order: somebody has reset a run. Within an execution its
 * beginning says nothing: as long as no workflow task was completed, each attempt at the first has one of its own.
 */
export function isBefore(one: MirrorMark | null, other: MirrorMark | null): boolean {
  if (one === null || other === null) return false;
  if (one.execution !== other.execution) return one.began < other.began;
  if (one.over !== other.over) return other.over;
  if (one.length !== other.length) return one.length < other.length;
  if (one.partial !== other.partial) return one.partial === true;
  return one.step < other.step;
}
