import { jsonSize, type JsonValue } from '../contract/json/json.js';

/** Some of a list, from a cursor on; `next` is where to go on, null at the end. */
export interface Page<T> {
  items: T[];
  next: number | null;
}

/** Reads a list from number `from` on: as many of its items as fit, and one at least. Those behind them aren't looked at. */
export function readPage<T extends JsonValue | object>(
  count: number,
  from: number,
  item: (index: number) => T,
  maxBytes: number,
): Page<T> {
  const items: T[] = [];
  let bytes = 0;
  let next = from;
  for (; next < count; next++) {
    const each = item(next);
    bytes += jsonSize(each);
    if (bytes > maxBytes && items.length > 0) break;
    items.push(each);
  }
  return { items, next: next < count ? next : null };
}

/** Reads on, page after page, to the end. */
export async function readToEnd<P, T>(
  from: number,
  ask: (from: number) => Promise<P>,
  open: (page: P) => Page<T>,
): Promise<{ first: P; items: T[] }> {
  const first = await ask(from);
  let { items, next } = open(first);
  items = [...items];
  while (next !== null) {
    const page = open(await ask(next));
    for (const item of page.items) items.push(item);
    ({ next } = page);
  }
  return { first, items };
}

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
