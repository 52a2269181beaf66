import { getOwn, setOwn, type JsonObject, type JsonValue } from '../../../contract/json/json.js';
import type { CheckpointEntry, ProcedureMetadata } from '../procedure-metadata.js';

/** What a change made of a record, so that a step costs what is new and not what is there. */
export type RecordChange = {
  /** Keys that have another value now, but for the log. */
  set: JsonObject;
  /** Keys that went. */
  unset: string[];
  /** How many entries stay from the beginning of the log. */
  kept: number;
  /** Those behind them. */
  entries: CheckpointEntry[];
};

/** A record without the id: that is the name of the execution. */
export type KeptRecord = JsonObject & { execution_log: CheckpointEntry[] };

/** Null where nothing has changed. */
export function changeOf(before: KeptRecord | null, after: ProcedureMetadata): RecordChange | null {
  const change: RecordChange = { set: {}, unset: [], kept: 0, entries: [] };
  const [was, is]: JsonObject[] = [before ?? {}, after];
  for (const key of columns(is)) {
    const value = getOwn(is ?? {}, key) ?? null;
    if (!isSame(getOwn(was ?? {}, key), value)) setOwn(change.set, key, value);
  }
  change.unset = columns(was).filter((key) => !Object.hasOwn(is ?? {}, key));
  const log = before?.execution_log ?? [];
  while (change.kept < log.length && isSame(log[change.kept], after.execution_log[change.kept]))
    change.kept++;
  change.entries = after.execution_log.slice(change.kept);
  const isNothing =
    before !== null &&
    Object.keys(change.set).length + change.unset.length + change.entries.length === 0 &&
    change.kept === log.length;
  return isNothing ? null : change;
}

export function changed(before: KeptRecord | null, change: RecordChange): KeptRecord {
  const record: KeptRecord = { execution_log: [] };
  for (const [key, value] of Object.entries(before ?? {})) setOwn(record as JsonObject, key, value);
  for (const key of change.unset) Reflect.deleteProperty(record, key);
  for (const [key, value] of Object.entries(change.set)) setOwn(record as JsonObject, key, value);
  record.execution_log = [...(before?.execution_log ?? []).slice(0, change.kept), ...change.entries];
  return record;
}

function columns(record: JsonObject = {}): string[] {
  return Object.keys(record).filter((key) => key !== 'execution_log' && key !== 'procedure_id');
}

function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
