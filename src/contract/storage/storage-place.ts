/** How addresses of storages begin. */
export const storageKinds = [
  'file',
  'sqlite',
  'postgres',
  'postgresql',
  'redis',
  'rediss',
  'dynamodb',
  's3',
  'lambda',
  'cosmos',
  'firestore',
] as const;

export type StorageKind = (typeof storageKinds)[number];

/** Why nothing can be mirrored to a place; null where it takes what is written. Of addresses of storages alone. */
export function whyNoMirror(place: string): string | null {
  return storageKind(place) === 'lambda'
    ? "can't be in Lambda: nobody but a durable function itself records what it does. Its records are read by openStorage, in an application"
    : null;
}

/** What kind of storage an address is of; null where it is none. */
export function storageKind(place: string): StorageKind | null {
  return storageKinds.find((kind) => place.startsWith(`${kind}:`) && place.length > kind.length + 1) ?? null;
}
