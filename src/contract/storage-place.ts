/** How addresses of storages begin. */
export const storageKinds = ['file', 'sqlite', 'postgres', 'postgresql', 'redis', 'rediss'] as const;

export type StorageKind = (typeof storageKinds)[number];

/** What kind of storage an address is of; null where it is none. */
export function storageKind(place: string): StorageKind | null {
  return storageKinds.find((kind) => place.startsWith(`${kind}:`) && place.length > kind.length + 1) ?? null;
}
