/** A digest names the version of the identity that it was made of; one without a prefix is of version 1. */
export function versionedDigest(version: number, digest: string): string {
  return version === 1 ? digest : `${version}:${digest}`;
}

export function versionOf(digest: string): number {
  return Number(/^(\d+):/.exec(digest)?.[1] ?? 1);
}
