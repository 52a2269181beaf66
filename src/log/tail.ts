/** The end of a log: what whoever keeps a copy of it is told of. */
export interface Tail<E> {
  /** How many entries stand before it. */
  from: number;
  entries: readonly E[];
}

/** Of a tail, what a copy of so many entries lacks; null where the copy lacks some that stand before it. */
export function lackedBy<E>(count: number, { from, entries }: Tail<E>): E[] | null {
  return from > count ? null : entries.slice(count - from);
}
