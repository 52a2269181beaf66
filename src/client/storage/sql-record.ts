import type { JsonObject, JsonValue } from '../../contract/json.js';
import type { SqlRow, SqlValue } from '../../read-model/sql-connection.js';
import { completeRecord } from './complete-record.js';
import { emptyMetadata, type CheckpointEntry, type ProcedureMetadata } from './procedure-metadata.js';

/** Columns of a procedure, by name; those of a change are the ones that it changes. */
export type Columns = Record<string, SqlValue>;

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

/** What stands in the columns that a first change doesn't name. */
export const emptyColumns: Columns = toColumns(emptyMetadata(''));

/** Whether a log can be kept as rows that are found by their positions, and come in their order. */
export function hasRows(log: readonly CheckpointEntry[]): boolean {
  return log.every(
    ({ position }, i) => Number.isSafeInteger(position) && position > (log[i - 1]?.position ?? -1),
  );
}

/** A record of its rows, that of the procedure before those of its log. @throws Error where they don't make one */
export function toRecord(procedureId: string, [head = {}, ...rows]: readonly SqlRow[]): ProcedureMetadata {
  const { status, waiting_on_message_id, replay_index, state, others, odd_log } = head;
  if (Number(head['entries']) !== rows.length)
    throw new Error(`it has ${rows.length} entries, where there were ${Number(head['entries'])}`);
  const log = isText(odd_log) ? parsed(odd_log) : rows.map(({ body }) => parsed(body));
  return completeRecord(procedureId, {
    ...(parsed(others) as JsonObject),
    procedure_id: procedureId,
    execution_log: log,
    replay_index: parsed(replay_index),
    state: parsed(state),
    status: parsed(status),
    waiting_on_message_id: parsed(waiting_on_message_id),
  });
}

export function parsed(value: SqlValue | undefined): JsonValue {
  return JSON.parse(String(value)) as JsonValue;
}

function isText(value: SqlValue | undefined): value is string {
  return typeof value === 'string';
}
