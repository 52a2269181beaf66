import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PostgresConnection } from './postgres-connection.js';
import type { RunIndex } from './run-index.js';
import { SqlRunIndex } from './sql-run-index.js';
import { SqliteConnection } from './sqlite-connection.js';

/**
 * Opens an index: `postgres://…`, the path of an SQLite file, from the working folder, or `:memory:` for tests.
 * @throws TactusError missing_package; usage where this Node has no SQLite
 */
export async function openRunIndex(place: string): Promise<RunIndex> {
  const isPostgres = /^postgres(ql)?:\/\//.test(place);
  const connection = await (isPostgres
    ? PostgresConnection.open(place)
    : SqliteConnection.open(pathOf(place)));
  return new SqlRunIndex(connection);
}

function pathOf(place: string): string {
  if (place === ':memory:') return place;
  return place.startsWith('file:') ? fileURLToPath(place) : resolve(place);
}
