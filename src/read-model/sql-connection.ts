import { TactusError } from '../contract/errors.js';

export type SqlValue = string | number | null;
export type SqlRow = Record<string, SqlValue>;

/** What differs between databases that speak nearly the same SQL. */
export interface SqlDialect {
  /** Type of texts that are compared byte by byte. */
  text: string;
  /** Type of whole numbers to 2^53. */
  integer: string;
  /** Makes others wait until the transaction ends; null where any that writes does. */
  lock: string | null;
  /**
   * Makes others wait that say the same text, which is the parameter, until the transaction ends; null where any that writes
   * does.
   */
  lockOf: string | null;
  /** Whether the text in a column has another in it, which is the parameter. */
  contains: (column: string) => string;
}

/** A database; `?` stands for parameters. */
export interface SqlConnection {
  readonly dialect: SqlDialect;
  query(sql: string, parameters?: readonly SqlValue[]): Promise<SqlRow[]>;
  /** All that the work asks of the connection that it gets, or nothing of it. */
  transaction<T>(work: (within: Pick<SqlConnection, 'query'>) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Tables that belong together, and have one version. */
interface Tables {
  /** What they hold, for who has to be told. */
  what: string;
  /** Counted up with every change of the tables. */
  version: number;
  /** The table that has the version, among other things. */
  about: string;
  /** Makes the others, where they aren't there. */
  statements: readonly string[];
  /** Those that are made anew where they are older, as what they hold can be made again. */
  replaced: readonly string[];
}

/**
 * Makes tables, where they aren't there.
 * @throws TactusError usage where a newer version of this package has made them
 */
export async function ensureTables(connection: SqlConnection, tables: Tables): Promise<void> {
  const { version, about, statements, replaced } = tables;
  // Where they aren't there yet, this is an error, and so is that nothing answers: that is told below.
  const before = await versionOf(connection, about).catch(() => null);
  if (isRight(before, tables)) return;
  const { text, lock } = connection.dialect;
  const own = `CREATE TABLE IF NOT EXISTS ${about} (name ${text} PRIMARY KEY, value TEXT NOT NULL)`;
  await connection.transaction(async (within) => {
    if (lock !== null) await within.query(lock);
    await within.query(own);
    const found = await versionOf(within, about);
    if (isRight(found, tables)) return;
    if (found !== null) for (const table of replaced) await within.query(`DROP TABLE IF EXISTS ${table}`);
    for (const statement of [own, ...statements]) await within.query(statement);
    await within.query(`INSERT INTO ${about} (name, value) VALUES ('schema', ?)`, [String(version)]);
  });
}

async function versionOf(connection: Pick<SqlConnection, 'query'>, about: string): Promise<number | null> {
  const [row] = await connection.query(`SELECT value FROM ${about} WHERE name = 'schema'`);
  return row === undefined ? null : Number(row['value']);
}

/** @throws TactusError usage */
function isRight(found: number | null, { what, version }: Tables): boolean {
  if (found === null || found <= version) return found === version;
  throw new TactusError('usage', `${what} was made by a newer version of tactus-temporal (schema ${found})`);
}
