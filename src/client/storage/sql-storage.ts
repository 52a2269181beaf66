import { Once } from '../concurrency.js';
import type { LedgerFilter, LedgerRow, NumberedLedgerEvent } from '../../contract/graphs/ledger.js';
import { PostgresConnection } from '../../read-model/postgres-connection.js';
import {
  ensureTables,
  type SqlConnection,
  type SqlRow,
  type SqlValue,
} from '../../read-model/sql-connection.js';
import { SqliteConnection } from '../../read-model/sqlite-connection.js';
import {
  columnsOf,
  emptyColumns,
  hasRows,
  markColumns,
  markIn,
  PartsStorage,
  toColumns,
  type Appending,
  type Columns,
  type RecordParts,
} from './parts-storage.js';
import { fromSqlId, toSqlId, toSqlText } from './sql-ids.js';
import { addLedgerRows, ensureLedgerSchema, readLedgerRows, removeLedgerRows } from './sql-ledger.js';
import {
  emptyMetadata,
  fits,
  grown,
  inOrder,
  isBefore,
  readMark,
  type CheckpointEntry,
  type Growth,
  type ProcedureMetadata,
} from './procedure-metadata.js';
import { behind, checkFilter, compareIds, type CheckpointFilter } from './storage-backend.js';

type Within = Pick<SqlConnection, 'query'>;

/** So many entries are in one statement at most. */
const entriesAtOnce = 100;

/**
 * Keeps records in a database, which processes may share. The tables are made when it is used first.
 * @throws TactusError usage, by everything, where a newer version of this package has made the tables
 */
class SqlStorage extends PartsStorage {
  readonly #tables = new Once(() => ensureStorageSchema(this.connection));
  readonly #ledgers = new Once(() => ensureLedgerSchema(this.connection));

  constructor(
    private readonly connection: SqlConnection,
    name: string,
  ) {
    super(name);
  }

  async listCheckpoints(filter: CheckpointFilter = {}): Promise<string[]> {
    checkFilter(filter);
    const { status, prefix = '', limit, after = '' } = filter;
    const end = behind(toSqlText(prefix));
    // One bound from below: SQLite goes by the first alone, and reads all that lies between two.
    const from: [string, SqlValue] =
      compareIds(after, prefix) < 0 ? ['id >= ?', toSqlText(prefix)] : ['id > ?', toSqlText(after)];
    const terms = [from];
    if (status !== undefined) terms.push(['status = ?', JSON.stringify(status)]);
    if (end !== null) terms.push(['id < ?', end]);
    const where = terms.map(([condition]) => condition).join(' AND ');
    const rows = await this.#query(
      `SELECT id FROM tactus_procedures WHERE ${where} ORDER BY id${limit === undefined ? '' : ' LIMIT ?'}`,
      [...terms.map(([, value]) => value), ...(limit === undefined ? [] : [limit])],
    );
    return rows.map((row) => fromSqlId(String(row['id'])));
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  async addLedger(procedureId: string, rows: readonly LedgerRow[]): Promise<void> {
    await this.#change(procedureId, (within, id) => addLedgerRows(within, id, rows), true);
  }

  async readLedger(procedureId: string, filter: LedgerFilter): Promise<NumberedLedgerEvent[]> {
    await this.#ready(true);
    return readLedgerRows(this.connection, toSqlId(procedureId), filter);
  }

  protected async readParts(procedureId: string): Promise<RecordParts | null> {
    const id = toSqlId(procedureId);
    return toParts(await this.#query(partsQuery, [id, id]));
  }

  protected async readState(procedureId: string): Promise<string | null> {
    return stateOf(await this.#query(stateQuery, [toSqlId(procedureId)]));
  }

  protected async writeColumns(procedureId: string, columns: Columns): Promise<void> {
    await this.#change(procedureId, (within, id) => writeColumns(within, id, columns));
  }

  protected async writeRecord(procedureId: string, record: ProcedureMetadata): Promise<void> {
    await this.#change(procedureId, (within, id) => writeWhole(within, id, record));
  }

  protected async supersedeRecord(
    procedureId: string,
    record: ProcedureMetadata,
    ledger: readonly LedgerRow[],
  ): Promise<boolean> {
    const change = async (within: Within, id: string): Promise<boolean> => {
      const [row] = await within.query('SELECT others FROM tactus_procedures WHERE id = ?', [id]);
      if (isBefore(readMark(record.mirrored), markIn(row ?? {}))) return false;
      await addLedgerRows(within, id, ledger);
      await writeWhole(within, id, record);
      return true;
    };
    return this.#change(procedureId, change, ledger.length > 0);
  }

  protected async changeState(procedureId: string, change: (state: string | null) => string): Promise<void> {
    await this.#change(procedureId, async (within, id) => {
      const state = change(stateOf(await within.query(stateQuery, [id])));
      await writeColumns(within, id, { state });
    });
  }

  protected async appendEntries(
    procedureId: string,
    growth: Growth,
    { isNext, ledger }: Appending,
  ): Promise<boolean> {
    const change = async (within: Within, id: string): Promise<boolean> => {
      const [row] = await within.query(
        'SELECT entries, odd_log, others FROM tactus_procedures WHERE id = ?',
        [id],
      );
      const mirrored = readMark(growth.mirrored);
      if (isBefore(mirrored, markIn(row ?? {}))) return true;
      const entries = inOrder(growth.entries);
      if ((row?.['odd_log'] ?? null) !== null || !hasRows(entries)) {
        const parts = toParts(await within.query(partsQuery, [id, id]));
        const record = parts === null ? emptyMetadata(procedureId) : this.recordOf(procedureId, parts);
        if (!fits(record.execution_log.length, growth, isNext)) return false;
        await addLedgerRows(within, id, ledger);
        await writeWhole(within, id, grown(record, [growth]));
        return true;
      }
      const count = Number(row?.['entries'] ?? 0);
      if (!fits(count, growth, isNext)) return false;
      await addLedgerRows(within, id, ledger);
      const length = count + entries.length - (await replaced(within, id, entries));
      await writeEntries(within, id, entries);
      const { status, waiting_on_message_id, state } = growth;
      const columns = columnsOf({ status, waiting_on_message_id, state, replay_index: length });
      const marked = mirrored === null ? {} : markColumns(row ?? {}, mirrored);
      await writeColumns(within, id, { ...columns, ...marked, entries: length });
      return true;
    };
    return this.#change(procedureId, change, ledger.length > 0);
  }

  protected async removeRecord(procedureId: string): Promise<void> {
    const change = async (within: Within, id: string): Promise<void> => {
      for (const table of ['tactus_checkpoints', 'tactus_procedures'])
        await within.query(`DELETE FROM ${table} WHERE id = ?`, [id]);
      await removeLedgerRows(within, id);
    };
    await this.#change(procedureId, change, true);
  }

  /** One change of a procedure at a time, whoever makes it. */
  async #change<T>(
    procedureId: string,
    work: (within: Within, id: string) => Promise<T>,
    withLedger = false,
  ): Promise<T> {
    const id = toSqlId(procedureId);
    const { lockOf } = this.connection.dialect;
    await this.#ready(withLedger);
    return this.connection.transaction(async (within) => {
      if (lockOf !== null) await within.query(lockOf, [id]);
      return work(within, id);
    });
  }

  async #query(sql: string, parameters: readonly SqlValue[]): Promise<SqlRow[]> {
    await this.#ready();
    return this.connection.query(sql, parameters);
  }

  async #ready(withLedger = false): Promise<void> {
    await this.#tables.done();
    if (withLedger) await this.#ledgers.done();
  }
}

const stateQuery = 'SELECT state FROM tactus_procedures WHERE id = ?';

/** One statement sees one moment. The procedure's row comes before those of its log. */
const partsQuery = `
  SELECT -1 AS position, '' AS entry, status, waiting_on_message_id, replay_index, state, others, entries, odd_log
    FROM tactus_procedures WHERE id = ?
  UNION ALL
  SELECT position, entry, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM tactus_checkpoints WHERE id = ?
  ORDER BY position`;

function toParts([columns, ...log]: readonly SqlRow[]): RecordParts | null {
  return columns === undefined ? null : { columns, log: log.map(({ entry }) => String(entry)) };
}

function stateOf([row]: readonly SqlRow[]): string | null {
  return row === undefined ? null : String(row['state']);
}

async function writeWhole(within: Within, id: string, record: ProcedureMetadata): Promise<void> {
  const columns = toColumns(record);
  await within.query('DELETE FROM tactus_checkpoints WHERE id = ?', [id]);
  if (columns['odd_log'] === null) await writeEntries(within, id, record.execution_log);
  await writeColumns(within, id, columns);
}

/** A procedure that isn't there has what nobody named empty. */
async function writeColumns(within: Within, id: string, changed: Columns): Promise<void> {
  const columns = { id, ...emptyColumns, ...changed };
  const names = Object.keys(columns);
  const sets = Object.keys(changed).map((name) => `${name} = excluded.${name}`);
  await within.query(
    `INSERT INTO tactus_procedures (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})
     ON CONFLICT (id) DO UPDATE SET ${sets.join(', ')}`,
    Object.values(columns),
  );
}

/** How many of the entries take the place of others. */
async function replaced(within: Within, id: string, entries: readonly CheckpointEntry[]): Promise<number> {
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined) return 0;
  const rows = await within.query(
    'SELECT position FROM tactus_checkpoints WHERE id = ? AND position >= ? AND position <= ?',
    [id, first.position, last.position],
  );
  const there = new Set(rows.map(({ position }) => Number(position)));
  return entries.filter(({ position }) => there.has(position)).length;
}

async function writeEntries(within: Within, id: string, entries: readonly CheckpointEntry[]): Promise<void> {
  for (let i = 0; i < entries.length; i += entriesAtOnce) {
    const part = entries.slice(i, i + entriesAtOnce);
    await within.query(
      `INSERT INTO tactus_checkpoints (id, position, entry) VALUES ${part.map(() => '(?, ?, ?)').join(', ')}
       ON CONFLICT (id, position) DO UPDATE SET entry = excluded.entry`,
      part.flatMap((entry) => [id, entry.position, JSON.stringify(entry)]),
    );
  }
}

/**
 * Makes the tables of a storage, where they aren't there. All but ids are JSON, as which any text can be kept.
 *
 * - `tactus_procedures`: what of a record isn't its log. `entries` counts the rows of the log; `odd_log` has it as a whole where
 *   its positions don't grow, which no run's do.
 * - `tactus_checkpoints`: the log, an entry a row.
 *
 * @throws TactusError usage where a newer version of this package has made them
 */
function ensureStorageSchema(connection: SqlConnection): Promise<void> {
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

/** A storage in a file, which processes of one machine share. @throws TactusError usage where this Node has no SQLite */
export async function openSqlite(path: string): Promise<SqlStorage> {
  return new SqlStorage(await SqliteConnection.open(path), path);
}

/** A storage in a database that machines share. @throws TactusError missing_package */
export async function openPostgres(address: string): Promise<SqlStorage> {
  return new SqlStorage(await PostgresConnection.open(address), 'PostgreSQL');
}
