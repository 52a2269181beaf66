import type * as Sqlite from 'node:sqlite';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { TactusError } from '../contract/errors.js';
import type { SqlConnection, SqlDialect, SqlRow, SqlValue } from './sql-connection.js';

/** Others may be writing: so long they are waited for. It holds up the whole process, and who writes tries again later. */
const busyMs = 1_000;

const dialect: SqlDialect = {
  text: 'TEXT',
  integer: 'INTEGER',
  lock: null,
  lockOf: null,
  contains: (column) => `instr(${column}, ?) > 0`,
};

/**
 * What was asked before, by files: a transaction has its file for itself. Connections of one process would wait for each
 * other in vain, as nothing else goes on while one waits.
 */
const turns = new Map<string, Promise<unknown>>();

/** A database in a file, which processes of one machine share. */
export class SqliteConnection implements SqlConnection {
  readonly dialect = dialect;
  private readonly statements = new Map<string, Sqlite.StatementSync>();

  private constructor(
    private readonly database: Sqlite.DatabaseSync,
    private readonly path: string,
  ) {}

  /** @throws TactusError usage where this Node has no SQLite */
  static async open(path: string): Promise<SqliteConnection> {
    // Loaded here, as older ones haven't got it.
    const sqlite: Pick<typeof Sqlite, 'DatabaseSync'> | undefined = process.getBuiltinModule('node:sqlite');
    if (sqlite === undefined)
      throw new TactusError('usage', `SQLite needs Node 22.13 or newer; this is ${process.version}`);
    mkdirSync(dirname(path), { recursive: true });
    const database = new sqlite.DatabaseSync(path, { timeout: busyMs });
    await writeAhead(database).catch((error: unknown) => {
      database.close();
      throw error;
    });
    return new SqliteConnection(database, path);
  }

  query(sql: string, parameters: readonly SqlValue[] = []): Promise<SqlRow[]> {
    return this.inTurn(async () => this.ask(sql, parameters));
  }

  transaction<T>(work: (within: Pick<SqlConnection, 'query'>) => Promise<T>): Promise<T> {
    return this.inTurn(async () => {
      this.database.exec('BEGIN IMMEDIATE');
      try {
        const result = await work({ query: async (sql, parameters = []) => this.ask(sql, parameters) });
        this.database.exec('COMMIT');
        return result;
      } catch (error) {
        if (this.database.isTransaction) this.database.exec('ROLLBACK');
        throw error;
      }
    });
  }

  close(): Promise<void> {
    return this.inTurn(async () => {
      if (this.database.isOpen) this.database.close();
    });
  }

  private ask(sql: string, parameters: readonly SqlValue[]): SqlRow[] {
    const statement = this.statements.get(sql) ?? this.database.prepare(sql);
    this.statements.set(sql, statement);
    return statement.all(...parameters) as SqlRow[];
  }

  private inTurn<T>(task: () => Promise<T>): Promise<T> {
    const result = (turns.get(this.path) ?? Promise.resolve()).then(task);
    const over = result
      .catch(() => undefined)
      .then(() => {
        if (turns.get(this.path) === over) turns.delete(this.path);
      });
    turns.set(this.path, over);
    return result;
  }
}

/** SQLite's code for a file that others have locked. */
const busy = 5;
const triesToOpen = 50;

/** Readers then don't wait for who writes. For this change of a new file alone SQLite waits for nobody: several may make it at once. */
async function writeAhead(database: Sqlite.DatabaseSync): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
      return;
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== busy || tries === triesToOpen) throw error;
      await wait(20);
    }
  }
}
