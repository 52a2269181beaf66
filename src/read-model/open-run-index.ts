import { resolve } from 'node:path';
import { TactusError } from '../contract/errors.js';
import { indexAddressRule, readIndexAddress } from '../contract/lists/index-address.js';
import { PostgresConnection } from './postgres-connection.js';
import type { RunIndex } from './run-index.js';
import type { SqlConnection } from './sql-connection.js';
import { SqlRunIndex } from './sql-run-index.js';
import { SqliteConnection } from './sqlite-connection.js';
import { SqlTenantUsage, type TenantUsageStore } from './tenant-usage.js';

/**
 * Opens an index: `postgres://…`, the path of an SQLite file, from the working folder, or `:memory:` for tests.
 * @throws TactusError missing_package; usage of any other address, or where this Node has no SQLite
 */
export async function openRunIndex(place: string): Promise<RunIndex> {
  return new SqlRunIndex(await openDatabase(place));
}

/** Opens what counts the usage of tenants, in the database of an index. @throws as `openRunIndex` does */
export async function openTenantUsage(place: string): Promise<TenantUsageStore> {
  return new SqlTenantUsage(await openDatabase(place));
}

async function openDatabase(place: string): Promise<SqlConnection> {
  const address = place === ':memory:' ? { file: place } : readIndexAddress(place);
  if (address === null) throw new TactusError('usage', `The index of runs ${indexAddressRule}`);
  return 'postgres' in address
    ? PostgresConnection.open(address.postgres)
    : SqliteConnection.open(address.file === ':memory:' ? address.file : resolve(address.file));
}
