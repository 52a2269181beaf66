import type { Pool, PoolClient } from 'pg';
import { loadPackage } from '../contract/load-package.js';
import type { SqlConnection, SqlDialect, SqlRow, SqlValue } from './sql-connection.js';

const mostConnections = 4;
const connectMs = 5_000;
/** A question that takes longer is given up: the database is as good as away. */
const queryMs = 30_000;

const dialect: SqlDialect = {
  text: 'TEXT COLLATE "C"',
  integer: 'BIGINT',
  // Any number that nobody else takes.
  lock: 'SELECT pg_advisory_xact_lock(7242283014)',
  lockOf: 'SELECT pg_advisory_xact_lock(hashtextextended(?, 7242283014))',
  contains: (column) => `strpos(${column}, ?) > 0`,
};

/** A database that workers and clients of many machines share. */
export class PostgresConnection implements SqlConnection {
  readonly dialect = dialect;

  private constructor(private readonly pool: Pool) {}

  /** @throws TactusError missing_package */
  static async open(address: string): Promise<PostgresConnection> {
    const { Pool: Connections } = await load();
    const pool = new Connections({
      connectionString: address,
      max: mostConnections,
      connectionTimeoutMillis: connectMs,
      query_timeout: queryMs,
      keepAlive: true,
      allowExitOnIdle: true,
    });
    // One that breaks while nobody uses it is replaced; without a listener it would end the process.
    pool.on('error', () => undefined);
    return new PostgresConnection(pool);
  }

  query(sql: string, parameters: readonly SqlValue[] = []): Promise<SqlRow[]> {
    return ask(this.pool, sql, parameters);
  }

  async transaction<T>(work: (within: Pick<SqlConnection, 'query'>) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      const result = await work({ query: (sql, parameters = []) => ask(client, sql, parameters) });
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch((reason: Error) => (broken = reason));
      throw error;
    } finally {
      client.release(broken);
    }
  }

  close(): Promise<void> {
    return this.pool.end();
  }
}

async function ask(on: Pool | PoolClient, sql: string, parameters: readonly SqlValue[]): Promise<SqlRow[]> {
  let number = 0;
  const numbered = sql.replaceAll('?', () => `$${++number}`);
  const { rows } = await on.query<SqlRow>(numbered, parameters.map(storable));
  return rows;
}

/** The one character that no text in PostgreSQL can have. */
function storable(value: SqlValue): SqlValue {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value;
}

/** @throws TactusError missing_package */
async function load() {
  const { default: pg } = await loadPackage(() => import('pg'), 'PostgreSQL needs a package: npm install pg');
  return pg;
}
