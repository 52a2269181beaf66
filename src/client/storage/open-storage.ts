import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TactusError } from '../../contract/errors.js';
import { storageKind, storageKinds, type StorageKind } from '../../contract/storage-place.js';
import { FileStorage } from './file-storage.js';
import type { StorageBackend } from './storage-backend.js';

/** The places that a storage can be in, by how their addresses begin. */
const kinds: Record<StorageKind, (place: string) => Promise<StorageBackend>> = {
  file: async (place) => new FileStorage(pathOf(place)),
  sqlite: async (place) => (await import('./sql-places.js')).openSqlite(pathOf(place)),
  postgres: async (place) => (await import('./sql-places.js')).openPostgres(place),
  postgresql: async (place) => (await import('./sql-places.js')).openPostgres(place),
  redis: async (place) => (await import('./redis-storage.js')).RedisStorage.open(place),
  rediss: async (place) => (await import('./redis-storage.js')).RedisStorage.open(place),
};

/**
 * Opens a storage: `file:FOLDER`, `sqlite:FILE`, both from the working folder, `postgres://user@host/database`, or
 * `redis://user@host:port/database` (`rediss:` with TLS). What it needs is loaded then; a server that is away is told by what is
 * asked first.
 * @throws TactusError usage of any other place, or where this Node has no SQLite; missing_package
 */
export async function openStorage(place: string): Promise<StorageBackend> {
  const kind = storageKind(place);
  if (kind !== null) return kinds[kind](place);
  // Not the place itself: it may have a password.
  throw new TactusError(
    'usage',
    `A storage begins with one of ${storageKinds.map((each) => `${each}:`).join(', ')}`,
  );
}

function pathOf(place: string): string {
  const path = place.slice(place.indexOf(':') + 1);
  return path.startsWith('//') ? fileURLToPath(`file:${path}`) : resolve(path);
}
