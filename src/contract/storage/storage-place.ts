/** How addresses of storages begin, and whether what follows is a path of this machine, which is kept from procedures. */
const isOnDisk = {
  file: true,
  sqlite: true,
  postgres: false,
  postgresql: false,
  redis: false,
  rediss: false,
  dynamodb: false,
  s3: false,
  lambda: false,
  cosmos: false,
  firestore: false,
} as const satisfies Record<string, boolean>;

export type StorageKind = keyof typeof isOnDisk;

export const storageKinds = Object.keys(isOnDisk) as readonly StorageKind[];

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

/** The path of the file or folder that a storage is in; null where it is elsewhere, or where the address is none of a storage. */
export function storagePath(place: string): string | null {
  const kind = storageKind(place);
  return kind !== null && isOnDisk[kind] ? place.slice(kind.length + 1).replace(/\?.*$/, '') : null;
}
