import type { ComponentChildren, VNode } from 'preact';
import { Problem } from '../text/text.js';
import { Heading } from './navigation.js';
import type { List } from './use-list.js';

interface ListingProps<T> {
  title: string;
  list: List<T>;
  /** What it has so many of, such as `shown`. */
  countOf: string;
  /** Shown where it has nothing. */
  empty: { title: string; text: string };
  row: (item: T) => VNode;
  /** What it is narrowed by. */
  children: ComponentChildren;
}

/** A list with its filters, which grows when somebody wants more of it. */
export function Listing<T>({ title, list, countOf, empty, row, children }: ListingProps<T>): VNode {
  const { items, hasMore, problem, more } = list;
  return (
    <>
      <div class="head">
        <Heading>{title}</Heading>
        <p class="muted" role="status">
          {items !== null && `${countText(list)} ${countOf}`}
        </p>
      </div>
      {children}
      <Problem problem={problem} isOld={items !== null} />
      {items === null && problem === null && <p class="loading">Loading …</p>}
      {items?.length === 0 && (
        <div class="empty">
          <p class="empty-title">{empty.title}</p>
          <p class="muted">{empty.text}</p>
        </div>
      )}
      <ul class="rows">{items?.map(row)}</ul>
      {hasMore && (
        <button type="button" onClick={more}>
          Show more
        </button>
      )}
    </>
  );
}

/** `50+` where there are more; empty before it was read. */
export function countText({ items, hasMore }: Pick<List<unknown>, 'items' | 'hasMore'>): string {
  return items === null ? '' : `${items.length}${hasMore ? '+' : ''}`;
}
