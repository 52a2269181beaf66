import type { JsonObject } from '../../contract/json.js';
import type { Tail } from '../../log/tail.js';
import type { CheckpointEntry, ProcedureMetadata } from './procedure-metadata.js';

/** What is new of a procedure: entries at the end of its log, and everything else as it now stands. */
export type Growth = Tail<CheckpointEntry> & {
  state: JsonObject;
  status: string;
  waiting_on_message_id: string | null;
};

/**
 * A record that has grown. Entries that it has already are replaced: what was told twice counts once. One may end after
 * those behind it.
 */
export function grown(record: ProcedureMetadata, growths: readonly Growth[]): ProcedureMetadata {
  const last = growths.at(-1);
  if (last === undefined) return record;
  const entries = new Map(record.execution_log.map((entry) => [entry.position, entry]));
  for (const growth of growths) for (const entry of growth.entries) entries.set(entry.position, entry);
  const log = [...entries.values()].sort((a, b) => a.position - b.position);
  return {
    ...record,
    execution_log: log,
    replay_index: log.length,
    state: last.state,
    status: last.status,
    waiting_on_message_id: last.waiting_on_message_id,
  };
}
