import { ensureTables } from '../../read-model/ensure-tables.js';
import type { SqlConnection } from '../../read-model/sql-connection.js';

/**
 * Makes the tables of a storage, where they aren't there. All but ids are JSON, as which any text can be kept.
 *
 * - `tactus_procedures`: what of a record isn't its log. `entries` counts the rows of the log; `odd_log` has it as a whole where
 *   its positions don't grow, which no run's do.
 * - `tactus_checkpoints`: the log, an entry a row.
 *
 * @throws TactusError usage where a newer version of this package has made them
 */
export function ensureStorageSchema(connection: SqlConnection): Promise<void> {
  const { text, integer } = connection.dialect;
  return ensureTables(connection, {
    what: 'The storage',
    version: 1,
    about: 'tactus_storage',
    statements: [
      `CREATE TABLE IF NOT EXISTS tactus_procedures (
        id ${text} PRIMARY KEY, status ${text} NOT NULL, waiting_on_message_id TEXT NOT NULL, replay_index TEXT NOT NULL,
        state TEXT NOT NULL, others TEXT NOT NULL, entries ${integer} NOT NULL, odd_log TEXT)`,
      `CREATE INDEX IF NOT EXISTS tactus_procedures_status ON tactus_procedures (status, id)`,
      `CREATE TABLE IF NOT EXISTS tactus_checkpoints (
        id ${text} NOT NULL, position ${integer} NOT NULL, entry TEXT NOT NULL, PRIMARY KEY (id, position))`,
    ],
    // There are none that are older.
    replaced: [],
  });
}
