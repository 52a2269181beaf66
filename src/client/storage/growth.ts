import type { JsonObject } from '../../contract/json/json.js';
import type { Tail } from '../../log/tail.js';
import type { MirrorMark } from './mirror-mark.js';
import type { CheckpointEntry, ProcedureMetadata } from './procedure-metadata.js';

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
    ...(last.mirrored === undefined ? {} : { mirrored: last.mirrored }),
  };
}

/** Entries in the order of their positions; of two for one position, the later. */
export function inOrder(entries: readonly CheckpointEntry[]): CheckpointEntry[] {
  const byPosition = new Map(entries.map((entry) => [entry.position, entry]));
  return [...byPosition.values()].sort((a, b) => a.position - b.position);
}
