import { TactusError } from '../contract/errors.js';
import type { SqlConnection } from './sql-connection.js';

/** Counted up with every change of the tables. */
const schemaVersion = 1;

const tables = ['tactus_runs', 'tactus_requests', 'tactus_feeders', 'tactus_index'];

/**
 * Makes the tables, where they aren't there. Older ones are made anew: what they held is made again from the runs.
 * @throws TactusError usage where a newer version of this package has made them
 */
export async function ensureSchema(connection: SqlConnection): Promise<void> {
  // Where they aren't there yet, this is an error, and so is that nothing answers: that is told below.
  const before = await versionOf(connection).catch(() => null);
  if (isRight(before)) return;
  const { text, integer, lock } = connection.dialect;
  await connection.transaction(async (within) => {
    if (lock !== null) await within.query(lock);
    await within.query(
      `CREATE TABLE IF NOT EXISTS tactus_index (name ${text} PRIMARY KEY, value TEXT NOT NULL)`,
    );
    const found = await versionOf(within);
    if (isRight(found)) return;
    if (found !== null) for (const table of tables) await within.query(`DROP TABLE IF EXISTS ${table}`);
    for (const statement of statements(text, integer)) await within.query(statement);
    await within.query(`INSERT INTO tactus_index (name, value) VALUES ('schema', ?)`, [
      String(schemaVersion),
    ]);
  });
}

async function versionOf(connection: Pick<SqlConnection, 'query'>): Promise<number | null> {
  const [row] = await connection.query(`SELECT value FROM tactus_index WHERE name = 'schema'`);
  return row === undefined ? null : Number(row['value']);
}

/** @throws TactusError usage */
function isRight(found: number | null): boolean {
  if (found === null || found <= schemaVersion) return found === schemaVersion;
  throw new TactusError(
    'usage',
    `The index was made by a newer version of tactus-temporal (schema ${found})`,
  );
}

function statements(text: string, integer: string): string[] {
  return [
    `CREATE TABLE IF NOT EXISTS tactus_index (name ${text} PRIMARY KEY, value TEXT NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS tactus_runs (
      run_id ${text} PRIMARY KEY, procedure ${text} NOT NULL, status ${text} NOT NULL, started_at ${text} NOT NULL,
      closed_at ${text}, execution ${text} NOT NULL, version ${text} NOT NULL, length ${integer} NOT NULL,
      is_final ${integer} NOT NULL, error TEXT, about TEXT)`,
    `CREATE INDEX IF NOT EXISTS tactus_runs_newest ON tactus_runs (started_at, run_id)`,
    `CREATE INDEX IF NOT EXISTS tactus_runs_status ON tactus_runs (status, started_at, run_id)`,
    `CREATE INDEX IF NOT EXISTS tactus_runs_procedure ON tactus_runs (procedure, started_at, run_id)`,
    `CREATE INDEX IF NOT EXISTS tactus_runs_open ON tactus_runs (is_final, version)`,
    `CREATE TABLE IF NOT EXISTS tactus_requests (
      run_id ${text} NOT NULL, id ${text} NOT NULL, procedure ${text} NOT NULL, kind ${text} NOT NULL,
      created_at ${text} NOT NULL, deadline ${text}, place ${text} NOT NULL, approvers TEXT NOT NULL, requester ${text},
      words TEXT NOT NULL, request TEXT NOT NULL,
      PRIMARY KEY (run_id, id))`,
    `CREATE INDEX IF NOT EXISTS tactus_requests_oldest ON tactus_requests (created_at, run_id, place)`,
    `CREATE INDEX IF NOT EXISTS tactus_requests_deadline ON tactus_requests (deadline)`,
    `CREATE TABLE IF NOT EXISTS tactus_feeders (
      id ${text} PRIMARY KEY, host ${text} NOT NULL, pid ${integer} NOT NULL, seen_at ${integer} NOT NULL)`,
  ];
}
