import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { AskedRequest, RequestPage } from '../../api/shapes.js';
import { Heading } from '../../shell/heading.js';
import { useSession } from '../../shell/session.js';
import { useDebounced } from '../../shell/use-debounced.js';
import { useEvents } from '../../shell/use-events.js';
import { useList } from '../../shell/use-list.js';
import { useRowKeys } from '../../shell/use-row-keys.js';
import { useShortcuts } from '../../shell/use-shortcuts.js';
import { useTitle } from '../../shell/use-title.js';
import { Text } from '../../text/text.js';
import { InboxFilters } from './inbox-filters.js';
import { InboxRow } from './inbox-row.js';
import { keepFilter, readFilter, toQuery } from './request-filter.js';

/** What people are asked, the oldest first. */
export function Inbox(): VNode {
  const { api, name } = useSession();
  const [filter, setFilter] = useState(readFilter());
  const settled = useDebounced(filter, 250);
  const search = useRef<HTMLInputElement>(null);
  const missing = useRef<RequestPage['missing']>([]);
  const { items, hasMore, problem, more, refresh } = useList<AskedRequest, RequestPage>(
    api,
    `/requests?${toQuery(settled, name)}`,
    (page) => {
      missing.current = page.missing;
      return { items: page.requests, next: page.next };
    },
  );
  useEvents(({ event }) => {
    if (event === 'request' || event === 'reset') refresh();
  });
  useRowKeys('.row-link');
  useShortcuts({ '/': () => search.current?.focus() });
  const count = items === null ? '' : `${items.length}${hasMore ? '+' : ''}`;
  useTitle(items === null ? 'Inbox' : `(${count}) Inbox`);
  const isFiltered = toQuery(settled, name) !== '';
  return (
    <>
      <div class="head">
        <Heading>Inbox</Heading>
        <p class="muted" role="status">
          {items !== null && `${count} open request${items.length === 1 ? '' : 's'}`}
        </p>
      </div>
      <InboxFilters
        filter={filter}
        searchRef={search}
        onChange={(changed) => {
          setFilter(changed);
          keepFilter(changed);
        }}
      />
      {problem !== null && (
        <p class="notice bad" role="alert">
          {problem} {items !== null && 'What is shown may be old.'}
        </p>
      )}
      {missing.current.length > 0 && <Missing runs={missing.current} />}
      {items?.length === 0 && (
        <div class="empty">
          <p class="empty-title">{isFiltered ? 'Nothing matches' : 'Nobody is asked anything'}</p>
          <p class="muted">
            {isFiltered
              ? 'Other filters may find more.'
              : 'Requests of procedures appear here by themselves.'}
          </p>
        </div>
      )}
      <ul class="rows">
        {items?.map((request) => (
          <InboxRow key={request.id} request={request} />
        ))}
      </ul>
      {hasMore && (
        <button type="button" onClick={more}>
          Show more
        </button>
      )}
    </>
  );
}

/** Runs that don't answer: their requests are there, and can't be shown. */
function Missing({ runs }: { runs: RequestPage['missing'] }): VNode {
  return (
    <details class="notice warn">
      <summary>
        {runs.length} run{runs.length === 1 ? '' : 's'} can't be asked now, and may have more requests
      </summary>
      <ul>
        {runs.map(({ run_id, reason }) => (
          <li key={run_id}>
            <Text text={run_id} short={200} />: <Text text={reason} />
          </li>
        ))}
      </ul>
    </details>
  );
}
