import { resolve } from 'node:path';
import { TactusError } from '../contract/errors.js';
import { indexAddressRule, readIndexAddress } from '../contract/lists/index-address.js';
import { PostgresConnection } from './postgres-connection.js';
import type { RunIndex } from './run-index.js';
import { SqlRunIndex } from './sql-run-index.js';
import { SqliteConnection } from './sqlite-connection.js';

/**
 * Opens an index: `postgres://…`, the path of an SQLite file, from the working folder, or `:memory:` for tests.
 * @throws TactusError missing_package; usage of any other address, or where this Node has no SQLite
 */
export async function openRunIndex(place: string): Promise<RunIndex> {
  const address = place === ':memory:' ? { file: place } : readIndexAddress(place);
  if (address === null) throw new TactusError('usage', `The index of runs ${indexAddressRule}`);
  const connection = await ('postgres' in address
    ? PostgresConnection.open(address.postgres)
    : SqliteConnection.open(address.file === ':memory:' ? address.file : resolve(address.file)));
  return new SqlRunIndex(connection);
}
