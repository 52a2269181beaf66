import { TactusError } from '../../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../../contract/json/json.js';

/** One entry of the execution log of Tactus's `FileStorage`. */
export interface RecordedEntry {
  /** Where it began; entries that it held were counted in between. */
  position: number;
  type: string;
  result: JsonValue;
  /** In microseconds since 1970: what ended inside of another entry ended before that. */
  endedAt: number;
  durationMs: number;
  runId: string | null;
  /** null where the reference knew none of the procedure's. */
  place: RecordedPlace | null;
}

interface RecordedPlace {
  file: string;
  line: number;
  /** Of a call of a procedure, its name. */
  function: string | null;
  /** The lines of the file round that line, as they were then. */
  context: string | null;
}

/** The record of a procedure that the Python Tactus has run. */
export interface ReferenceRecord {
  procedureId: string;
  entries: RecordedEntry[];
  /** The same as they stand there. */
  log: JsonValue[];
  /** Of the record, what the reference has no use for: ours has the log itself there. */
  luaState: JsonObject;
}

const fields = [
  'procedure_id',
  'execution_log',
  'replay_index',
  'state',
  'lua_state',
  'status',
  'waiting_on_message_id',
];
const entryFields = [
  'position',
  'type',
  'result',
  'timestamp',
  'duration_ms',
  'input_hash',
  'run_id',
  'source_location',
  'captured_vars',
];

/**
 * Reads what Tactus 0.53.4 writes as `<procedure_id>.json`, and nothing else: what a newer one might write could mean
 * something that isn't known here.
 * @param place what people call the text, such as its file
 * @throws TactusError file_failed naming the field
 */
export function readReferenceRecord(text: string, place: string): ReferenceRecord {
  const wrong = (problem: string): TactusError =>
    new TactusError('file_failed', `${place} can't be imported: ${problem}`, { place });
  const record = parse(text, wrong);
  if (!isObject(record)) throw wrong('it is not a JSON object');
  refuseStrangers(record, fields, 'the record', wrong);
  const { procedure_id: procedureId, execution_log: log, lua_state: luaState = {} } = record;
  if (typeof procedureId !== 'string' || procedureId === '') throw wrong('it names no procedure_id');
  if (!Array.isArray(log)) throw wrong('its execution_log is not a list');
  if (!isObject(luaState)) throw wrong('its lua_state is not an object');
  return { procedureId, entries: log.map((entry, i) => readEntry(entry, i, wrong)), log, luaState };
}

type Wrong = (problem: string) => TactusError;

function parse(text: string, wrong: Wrong): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw wrong(`it is not JSON, or is cut off (${error instanceof Error ? error.message : ''})`);
  }
}

/** @throws what `wrong` makes of it */
function refuseStrangers(given: JsonObject, known: readonly string[], what: string, wrong: Wrong): void {
  const strangers = Object.keys(given).filter((key) => !known.includes(key));
  if (strangers.length > 0)
    throw wrong(
      `${what} has the unknown fields ${strangers.join(', ')}: Tactus 0.53.4 doesn't write them, a newer version may`,
    );
}

function readEntry(given: JsonValue, index: number, wrong: Wrong): RecordedEntry {
  const what = `entry ${index} of its execution_log`;
  if (!isObject(given)) throw wrong(`${what} is not an object`);
  refuseStrangers(given, entryFields, what, wrong);
  const {
    position,
    type,
    result = null,
    timestamp,
    duration_ms: duration = null,
    run_id: runId = null,
  } = given;
  if (typeof position !== 'number' || !Number.isInteger(position) || position < index)
    throw wrong(
      `${what} has the position ${JSON.stringify(position)}; a number from ${index} on is expected`,
    );
  if (typeof type !== 'string' || type === '') throw wrong(`${what} has no type`);
  const endedAt = typeof timestamp === 'string' ? microseconds(timestamp) : null;
  if (endedAt === null)
    throw wrong(`${what} has the timestamp ${JSON.stringify(timestamp)}; an ISO 8601 time is expected`);
  if (duration !== null && typeof duration !== 'number')
    throw wrong(`${what} has a duration_ms that is not a number`);
  if (runId !== null && typeof runId !== 'string') throw wrong(`${what} has a run_id that is not a text`);
  const place = readPlace(given['source_location'] ?? null, what, wrong);
  return { position, type, result, endedAt, durationMs: duration ?? 0, runId, place };
}

/** Without a line it says nothing: that of Python's own files is never one of the procedure's. */
function readPlace(given: JsonValue, what: string, wrong: Wrong): RecordedPlace | null {
  if (given === null) return null;
  const { file, line, function: name = null, code_context: context = null } = isObject(given) ? given : {};
  if (typeof file !== 'string' || typeof line !== 'number')
    throw wrong(`${what} has a source_location without file and line`);
  if (file.endsWith('.py')) return null;
  const isName = typeof name === 'string' && name !== 'unknown';
  return {
    file,
    line,
    function: isName ? name : null,
    context: typeof context === 'string' ? context : null,
  };
}

/** Of an ISO 8601 time; null where it is none. Python writes up to six digits of a second, and `Date` reads three. */
function microseconds(text: string): number | null {
  const match = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d{1,6})\d*)?(Z|[+-]\d\d:\d\d)?$/.exec(text);
  if (match === null) return null;
  const [, day, time, fraction = '', zone = 'Z'] = match;
  const ms = Date.parse(`${day}T${time}${zone}`);
  return Number.isNaN(ms) ? null : ms * 1_000 + Number(fraction.padEnd(6, '0'));
}
