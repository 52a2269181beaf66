import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { completeRecord } from './complete-record.js';
import { readMark, type MirrorMark } from './mirror-mark.js';
import { emptyMetadata, type CheckpointEntry, type ProcedureMetadata } from './procedure-metadata.js';

/**
 * What of a record isn't its log, by name, as databases keep it. All texts but ids are JSON, as which any text can be kept.
 * Those of a change are the ones that it changes.
 */
export type Columns = Record<string, string | number | null>;

/** A record as databases keep it: `entries` of the columns counts those of the log, `odd_log` has a log that has no rows. */
export interface RecordParts {
  columns: Columns;
  /** The log, an entry each, in the order of their positions. */
  log: readonly string[];
}

/** What of a record isn't its log, as columns. */
export function toColumns(record: ProcedureMetadata): Columns {
  const { procedure_id: _id, execution_log: log, ...head } = record;
  const { status, waiting_on_message_id, replay_index, state, ...others } = head;
  const isOdd = !hasRows(log);
  return {
    ...columnsOf({ status, waiting_on_message_id, replay_index, state }),
    others: JSON.stringify(others),
    entries: isOdd ? 0 : log.length,
    odd_log: isOdd ? JSON.stringify(log) : null,
  };
}

/** Parts of a record as columns. */
export function columnsOf(parts: JsonObject): Columns {
  return Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, JSON.stringify(value)]));
}

/** The mark of the record whose columns these are; null where it has none, or can't be read. */
export function markIn({ others }: Columns): MirrorMark | null {
  try {
    return readMark((parsed(others ?? '{}') as JsonObject)['mirrored']);
  } catch {
    return null;
  }
}

/** The columns of a mark: what else is kept beside it stays. */
export function markColumns({ others }: Columns, mirrored: MirrorMark): Columns {
  return {
    others: JSON.stringify({ ...(parsed(others ?? emptyColumns['others']) as JsonObject), mirrored }),
  };
}

/** What stands in the columns that a first change doesn't name. */
export const emptyColumns: Columns = toColumns(emptyMetadata(''));

/** Whether a log can be kept as rows that are found by their positions, and come in their order. */
export function hasRows(log: readonly CheckpointEntry[]): boolean {
  return log.every(
    ({ position }, i) => Number.isSafeInteger(position) && position > (log[i - 1]?.position ?? -1),
  );
}

/** @throws Error where the parts don't make a record */
export function toRecord(procedureId: string, { columns, log }: RecordParts): ProcedureMetadata {
  const { status, waiting_on_message_id, replay_index, state, others, odd_log } = columns;
  if (Number(columns['entries']) !== log.length)
    throw new Error(`it has ${log.length} entries, where there were ${columns['entries']}`);
  return completeRecord(procedureId, {
    ...(parsed(others) as JsonObject),
    procedure_id: procedureId,
    execution_log: typeof odd_log === 'string' ? parsed(odd_log) : log.map(parsed),
    replay_index: parsed(replay_index),
    state: parsed(state),
    status: parsed(status),
    waiting_on_message_id: parsed(waiting_on_message_id),
  });
}

/** @throws Error where the text is no state */
export function toState(text: string | null): JsonObject {
  const state = text === null ? {} : parsed(text);
  if (!isObject(state)) throw new Error('its state is no JSON object');
  return state;
}

function parsed(value: Columns[string] | undefined): JsonValue {
  return JSON.parse(String(value)) as JsonValue;
}
