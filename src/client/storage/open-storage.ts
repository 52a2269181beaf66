import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TactusError } from '../../contract/errors.js';
import {
  storageKind,
  storageKinds,
  whyNoMirror,
  type StorageKind,
} from '../../contract/storage/storage-place.js';
import { FileStorage } from './file-storage.js';
import type { StorageBackend } from './storage-backend.js';

/** The places that a storage can be in, by how their addresses begin. */
const kinds: Record<StorageKind, (place: string) => Promise<StorageBackend>> = {
  file: async (place) => new FileStorage(pathOf(place)),
  sqlite: async (place) => (await import('./sql-storage.js')).openSqlite(pathOf(place)),
  postgres: async (place) => (await import('./sql-storage.js')).openPostgres(place),
  postgresql: async (place) => (await import('./sql-storage.js')).openPostgres(place),
  redis: async (place) => (await import('./redis-storage.js')).RedisStorage.open(place),
  rediss: async (place) => (await import('./redis-storage.js')).RedisStorage.open(place),
  dynamodb: async (place) => (await import('./documents/document-places.js')).openDynamoDb(place),
  s3: async (place) => (await import('./documents/document-places.js')).openS3(place),
  lambda: async (place) =>
    (await import('./lambda/lambda-durable-storage.js')).LambdaDurableStorage.open(place),
  cosmos: async (place) => (await import('./documents/document-places.js')).openCosmos(place),
  firestore: async (place) => (await import('./documents/document-places.js')).openFirestore(place),
};

/**
 * Opens a storage: `file:FOLDER`, `sqlite:FILE`, both from the working folder, `postgres://user@host/database`,
 * `redis://user@host:port/database` (`rediss:` with TLS), `dynamodb:TABLE?region=…&endpoint=…`,
 * `s3://bucket/folder?region=…&endpoint=…`, `cosmos://account/database/container?endpoint=…`,
 * `firestore://project/collection?database=…&endpoint=…`, or, to be read alone, `lambda:FUNCTION?region=…&endpoint=…`. What it needs is loaded then; a server that is away is told by
 * what is asked first.
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

/** The same of a storage that runs are mirrored to. @throws TactusError usage also of one that takes no writing */
export async function openMirror(place: string): Promise<StorageBackend> {
  const reason = whyNoMirror(place);
  if (reason !== null) throw new TactusError('usage', `The storage that runs are mirrored to ${reason}`);
  return openStorage(place);
}

function pathOf(place: string): string {
  const path = place.slice(place.indexOf(':') + 1);
  return path.startsWith('//') ? fileURLToPath(`file:${path}`) : resolve(path);
}
