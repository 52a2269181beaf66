import { sha256Hex } from '../../contract/effects/digest.js';
import type { LedgerFilter, LedgerRow, NumberedLedgerEvent } from '../../contract/graphs/ledger.js';
import { ensureTables, type SqlConnection, type SqlValue } from '../../read-model/sql-connection.js';
import { damagedRecord, isWellFormed } from './storage-backend.js';
import { toSqlText } from './sql-ids.js';

type Within = Pick<SqlConnection, 'query'>;

/** So many rows are in one statement at most. */
const rowsAtOnce = 100;
/** Longer texts are found by their hash: a row of an index in PostgreSQL has 2,700 bytes at most, with the id of the run. */
const longestBytes = 300;

/**
 * Makes the table of ledgers, where it isn't there: it came later than the others of a storage, and has a version of its own.
 * @throws TactusError usage where a newer version of this package has made it
 */
export function ensureLedgerSchema(connection: SqlConnection): Promise<void> {
  const { text, integer } = connection.dialect;
  return ensureTables(connection, {
    what: 'The ledger',
    version: 1,
    about: 'tactus_ledgers',
    statements: [
      `CREATE TABLE IF NOT EXISTS tactus_ledger (
        id ${text} NOT NULL, number ${integer} NOT NULL, event_id ${text} NOT NULL, topic ${text} NOT NULL, event TEXT NOT NULL,
        PRIMARY KEY (id, number), UNIQUE (id, event_id))`,
      `CREATE INDEX IF NOT EXISTS tactus_ledger_topic ON tactus_ledger (id, topic, number)`,
    ],
    // There are none that are older.
    replaced: [],
  });
}

/** Adds events that aren't there, within a transaction that nobody else has for this id. */
export async function addLedgerRows(within: Within, id: string, rows: readonly LedgerRow[]): Promise<void> {
  let last: number | null = null;
  for (let i = 0; i < rows.length; i += rowsAtOnce) {
    const part = rows.slice(i, i + rowsAtOnce);
    const found = await within.query(
      `SELECT event_id FROM tactus_ledger WHERE id = ? AND event_id IN (${part.map(() => '?').join(', ')})`,
      [id, ...part.map((row) => shortText(row.id))],
    );
    const there = new Set(found.map(({ event_id }) => String(event_id)));
    const fresh = part.filter((row) => !there.has(shortText(row.id)));
    if (fresh.length === 0) continue;
    const before: number = last ?? (await lastNumber(within, id));
    await within.query(
      `INSERT INTO tactus_ledger (id, number, event_id, topic, event) VALUES ${fresh.map(() => '(?, ?, ?, ?, ?)').join(', ')}`,
      fresh.flatMap((row, j) => [
        ...[id, before + j + 1, shortText(row.id), shortText(row.topic)],
        JSON.stringify(row),
      ]),
    );
    last = before + fresh.length;
  }
}

async function lastNumber(within: Within, id: string): Promise<number> {
  const [row] = await within.query('SELECT MAX(number) AS last FROM tactus_ledger WHERE id = ?', [id]);
  return Number(row?.['last'] ?? 0);
}

/** @throws TactusError file_failed where a row is damaged */
export async function readLedgerRows(
  within: Within,
  id: string,
  { topic, after = 0, limit }: LedgerFilter,
): Promise<NumberedLedgerEvent[]> {
  const terms: [string, SqlValue][] = [
    ['id = ?', id],
    ['number > ?', after],
    ...(topic === undefined ? [] : [['topic = ?', shortText(topic)] as [string, SqlValue]]),
  ];
  const rows = await within.query(
    `SELECT number, event FROM tactus_ledger WHERE ${terms.map(([term]) => term).join(' AND ')}
     ORDER BY number${limit === undefined ? '' : ' LIMIT ?'}`,
    [...terms.map(([, value]) => value), ...(limit === undefined ? [] : [limit])],
  );
  return rows.map(({ number, event }) => {
    try {
      return { ...(JSON.parse(String(event)) as LedgerRow), number: Number(number) };
    } catch (error) {
      throw damagedRecord(`the ledger of ${JSON.stringify(id)}`, error);
    }
  });
}

export async function removeLedgerRows(within: Within, id: string): Promise<void> {
  await within.query('DELETE FROM tactus_ledger WHERE id = ?', [id]);
}

function shortText(text: string): string {
  const short = toSqlText(text);
  const isShort = isWellFormed(text) && !text.startsWith('~') && Buffer.byteLength(short) <= longestBytes;
  return isShort ? short : `~${sha256Hex(text)}`;
}
