import { isObject, setOwn, type JsonObject, type JsonValue } from '../../contract/json.js';
import { TactusError } from '../../contract/errors.js';
import { lackedBy } from '../../log/tail.js';
import type { SqlConnection, SqlRow, SqlValue } from '../../read-model/sql-connection.js';
import { checkFilter, type CheckpointFilter } from './checkpoint-filter.js';
import { completeGrowth, completeRecord } from './complete-record.js';
import { damagedRecord } from './damaged-record.js';
import { grown, type Growth } from './growth.js';
import { emptyMetadata, type CheckpointEntry, type ProcedureMetadata } from './procedure-metadata.js';
import { behind, fromSqlId, toSqlId, toSqlText } from './sql-id.js';
import { columnsOf, emptyColumns, hasRows, parsed, toColumns, toRecord, type Columns } from './sql-record.js';
import { ensureStorageSchema } from './sql-storage-schema.js';
import type { StorageBackend } from './storage-backend.js';
import { TaskQueues } from './task-queues.js';

type Within = Pick<SqlConnection, 'query'>;

/** So many entries are in one statement at most. */
const entriesAtOnce = 100;

/**
 * Keeps records in a database, which processes may share. An entry of a log is a row: adding to a log costs the same however
 * long it is. Changes of one procedure follow each other, whoever makes them. The tables are made when it is used first.
 * @throws TactusError usage, by everything, where a newer version of this package has made the tables
 */
export class SqlStorage implements StorageBackend {
  /** In the order in which they were told: the database knows which one comes first, and not which was told first. */
  readonly #queues = new TaskQueues();
  #made: Promise<void> | null = null;

  constructor(
    private readonly connection: SqlConnection,
    /** What the database is called in errors. */
    private readonly name: string,
  ) {}

  async loadProcedureMetadata(procedureId: string): Promise<ProcedureMetadata> {
    return (await this.loadCheckpoint(procedureId)) ?? emptyMetadata(procedureId);
  }

  async saveProcedureMetadata(procedureId: string, metadata: ProcedureMetadata): Promise<void> {
    await this.saveCheckpoint(procedureId, metadata);
  }

  async updateProcedureStatus(
    procedureId: string,
    status: string,
    waitingOnMessageId: string | null = null,
  ): Promise<void> {
    await this.#set(procedureId, { status, waiting_on_message_id: waitingOnMessageId });
  }

  async append(procedureId: string, told: Growth): Promise<boolean> {
    const growth = completeGrowth(procedureId, told);
    return this.#change(procedureId, async (within, id) => {
      const [row] = await within.query('SELECT entries, odd_log FROM tactus_procedures WHERE id = ?', [id]);
      const entries = [...new Map(growth.entries.map((entry) => [entry.position, entry])).values()];
      entries.sort((a, b) => a.position - b.position);
      if ((row?.['odd_log'] ?? null) !== null || !hasRows(entries))
        return this.#appendToWhole(within, id, procedureId, growth);
      const count = Number(row?.['entries'] ?? 0);
      if (lackedBy(count, growth) === null) return false;
      const length = count + entries.length - (await replaced(within, id, entries));
      await writeEntries(within, id, entries);
      const { status, waiting_on_message_id, state } = growth;
      const columns = columnsOf({ status, waiting_on_message_id, state, replay_index: length });
      await writeColumns(within, id, { ...columns, entries: length });
      return true;
    });
  }

  async getState(procedureId: string): Promise<JsonObject> {
    const id = toSqlId(procedureId);
    return this.#stateIn(procedureId, await this.#query(stateQuery, [id]));
  }

  async setState(procedureId: string, state: JsonObject): Promise<void> {
    await this.#set(procedureId, { state });
  }

  async stateSet(procedureId: string, key: string, value: JsonValue): Promise<void> {
    await this.#change(procedureId, async (within, id) => {
      const state = this.#stateIn(procedureId, await within.query(stateQuery, [id]));
      setOwn(state, key, value);
      await writeColumns(within, id, columnsOf({ state }));
    });
  }

  async saveCheckpoint(procedureId: string, data: JsonObject): Promise<void> {
    const record = completeRecord(procedureId, data);
    await this.#change(procedureId, (within, id) => writeWhole(within, id, record));
  }

  async loadCheckpoint(procedureId: string): Promise<ProcedureMetadata | null> {
    const id = toSqlId(procedureId);
    return this.#recordOf(procedureId, await this.#query(recordQuery, [id, id]));
  }

  async deleteCheckpoint(procedureId: string): Promise<void> {
    await this.#change(procedureId, async (within, id) => {
      for (const table of ['tactus_checkpoints', 'tactus_procedures'])
        await within.query(`DELETE FROM ${table} WHERE id = ?`, [id]);
    });
  }

  async listCheckpoints(filter: CheckpointFilter = {}): Promise<string[]> {
    checkFilter(filter);
    const { status, prefix = '', limit, after = '' } = filter;
    const end = behind(toSqlText(prefix));
    const terms: [string, SqlValue][] = [['id > ?', toSqlText(after)]];
    if (status !== undefined) terms.push(['status = ?', JSON.stringify(status)]);
    if (prefix !== '') terms.push(['id >= ?', toSqlText(prefix)]);
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

  /** Replaces parts of a record, and leaves all others. */
  async #set(
    procedureId: string,
    parts: Partial<Pick<ProcedureMetadata, 'status' | 'waiting_on_message_id' | 'state'>>,
  ): Promise<void> {
    completeRecord(procedureId, parts);
    await this.#change(procedureId, (within, id) => writeColumns(within, id, columnsOf(parts)));
  }

  async #appendToWhole(within: Within, id: string, procedureId: string, growth: Growth): Promise<boolean> {
    const found = this.#recordOf(procedureId, await within.query(recordQuery, [id, id]));
    const record = found ?? emptyMetadata(procedureId);
    if (lackedBy(record.execution_log.length, growth) === null) return false;
    await writeWhole(within, id, grown(record, [growth]));
    return true;
  }

  async #change<T>(procedureId: string, work: (within: Within, id: string) => Promise<T>): Promise<T> {
    const id = toSqlId(procedureId);
    const { lockOf } = this.connection.dialect;
    await this.#ready();
    return this.#queues.run(procedureId, () =>
      this.connection.transaction(async (within) => {
        if (lockOf !== null) await within.query(lockOf, [id]);
        return work(within, id);
      }),
    );
  }

  #recordOf(procedureId: string, rows: readonly SqlRow[]): ProcedureMetadata | null {
    return rows.length === 0 ? null : this.#read(procedureId, () => toRecord(procedureId, rows));
  }

  #stateIn(procedureId: string, [row]: readonly SqlRow[]): JsonObject {
    return this.#read(procedureId, () => {
      const state = row === undefined ? {} : parsed(row['state']);
      if (!isObject(state)) throw new TactusError('usage', 'record has a wrong or missing state');
      return state;
    });
  }

  #read<T>(procedureId: string, read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw damagedRecord(`the record of ${JSON.stringify(procedureId)} in ${this.name}`, error);
    }
  }

  async #query(sql: string, parameters: readonly SqlValue[]): Promise<SqlRow[]> {
    await this.#ready();
    return this.connection.query(sql, parameters);
  }

  async #ready(): Promise<void> {
    const making = (this.#made ??= ensureStorageSchema(this.connection));
    await making.catch((error: unknown) => {
      if (this.#made === making) this.#made = null;
      throw error;
    });
  }
}

const stateQuery = 'SELECT state FROM tactus_procedures WHERE id = ?';

/** One statement sees one moment. The procedure's row comes before those of its log. */
const recordQuery = `
  SELECT -1 AS position, '' AS body, status, waiting_on_message_id, replay_index, state, others, entries, odd_log
    FROM tactus_procedures WHERE id = ?
  UNION ALL
  SELECT position, entry, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM tactus_checkpoints WHERE id = ?
  ORDER BY position`;

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
