import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { Growth } from './growth.js';
import { emptyMetadata, type ProcedureMetadata } from './procedure-metadata.js';

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
    if (!isRight(object[key])) throw new TactusError('usage', `${name} has a wrong or missing ${key}`);
  }
}
