import { PostgresConnection } from '../../read-model/postgres-connection.js';
import { SqliteConnection } from '../../read-model/sqlite-connection.js';
import { SqlStorage } from './sql-storage.js';

/** A storage in a file, which processes of one machine share. @throws TactusError usage where this Node has no SQLite */
export async function openSqlite(path: string): Promise<SqlStorage> {
  return new SqlStorage(await SqliteConnection.open(path), path);
}

/** A storage in a database that machines share. @throws TactusError missing_package */
export async function openPostgres(address: string): Promise<SqlStorage> {
  return new SqlStorage(await PostgresConnection.open(address), 'PostgreSQL');
}
