/**
 * What people read where several questions have no message of their own, in the words of the reference. Runs keep it as
 * they always did: it is part of what decisions are made for.
 */
export function shownMessage(kept: string): string {
  const [, count] = /^(\d+) questions$/.exec(kept) ?? [];
  return count === undefined ? kept : `Multiple inputs requested (${count} items)`;
}
