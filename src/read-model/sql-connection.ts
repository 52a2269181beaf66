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
