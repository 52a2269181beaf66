import type { SqlConnection } from '../../../src/read-model/sql-connection.js';

/** Marks of records as columns of their own, in the words of each database. */
const marks = {
  sqlite: (row: string) => (key: string) => `json_extract(${row}.others, '$.mirrored.${key}')`,
  postgres: (row: string) => (key: string) => `(${row}.others::json -> 'mirrored' ->> '${key}')`,
};

/** Has the database itself note each change by which a record goes back: to before its end, or to what its run had told earlier. */
export async function watchRecords(connection: SqlConnection, kind: keyof typeof marks): Promise<void> {
  const [before, after] = [marks[kind]('OLD'), marks[kind]('NEW')];
  const bool = kind === 'sqlite' ? (text: string) => text : (text: string) => `(${text})::boolean::int`;
  const int = kind === 'sqlite' ? (text: string) => text : (text: string) => `(${text})::bigint`;
  const place = (mark: (key: string) => string): string =>
    `(${[bool(mark('over')), int(mark('length')), int(mark('step'))].join(', ')})`;
  const isSame = `${after('execution')} = ${before('execution')}`;
  const isBack = `((${isSame} AND ${place(after)} < ${place(before)})
    OR (NOT ${isSame} AND ${int(after('began'))} < ${int(before('began'))}))`;
  await connection.query('CREATE TABLE gone_back (id TEXT, was TEXT, became TEXT)', []);
  const note = `INSERT INTO gone_back VALUES (NEW.id, OLD.status || OLD.others, NEW.status || NEW.others)`;
  if (kind === 'sqlite') {
    await connection.query(
      `CREATE TRIGGER watch AFTER UPDATE ON tactus_procedures WHEN ${isBack} BEGIN ${note}; END`,
      [],
    );
    return;
  }
  await connection.query(
    `CREATE FUNCTION watch() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN IF ${isBack} THEN ${note}; END IF; RETURN NEW; END $$`,
    [],
  );
  await connection.query(
    'CREATE TRIGGER watch AFTER UPDATE ON tactus_procedures FOR EACH ROW EXECUTE FUNCTION watch()',
    [],
  );
}

/** What has gone back so far. */
export async function goneBack(connection: SqlConnection): Promise<unknown[]> {
  return connection.query('SELECT * FROM gone_back', []);
}
