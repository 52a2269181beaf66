import type { RefObject, VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { kindNames, type AskedRequest, type RequestPage } from '../../api/shapes.js';
import { countText, Listing } from '../../shell/listing.js';
import { NameField } from '../../shell/name-field.js';
import { Link, replaceQuery, useTitle } from '../../shell/navigation.js';
import { requestPath } from '../../shell/route.js';
import { useSession } from '../../shell/session.js';
import { useDebounced, useEvents, useList, useRowKeys } from '../../shell/use-list.js';
import { useShortcuts } from '../../shell/use-shortcuts.js';
import { Id, Text, Time, useNow } from '../../text/text.js';

/** What people are asked, the oldest first. */
export function Inbox(): VNode {
  const { api, name } = useSession();
  const [filter, setFilter] = useState(readFilter());
  const settled = useDebounced(filter, 250);
  const search = useRef<HTMLInputElement>(null);
  const missing = useRef<RequestPage['missing']>([]);
  const filters = toQuery(settled, name);
  const list = useList(api, '/requests', filters, (page) => {
    missing.current = page.missing;
    return { items: page.requests, next: page.next };
  });
  useEvents(({ event }) => {
    if (event === 'request' || event === 'reset') list.refresh();
  });
  useRowKeys('.row-link');
  useShortcuts({ '/': () => search.current?.focus() });
  useTitle(list.items === null ? 'Inbox' : `(${countText(list)}) Inbox`);
  return (
    <Listing
      title="Inbox"
      list={list}
      countOf={list.items?.length === 1 ? 'open request' : 'open requests'}
      empty={
        filters === ''
          ? { title: 'No open requests', text: 'New requests appear here automatically.' }
          : { title: 'No matches', text: 'Change the filters to see more.' }
      }
      row={(request) => <InboxRow key={request.id} request={request} />}
    >
      <InboxFilters
        filter={filter}
        searchRef={search}
        onChange={(changed) => {
          setFilter(changed);
          keepFilter(changed);
        }}
      />
      {missing.current.length > 0 && <Missing runs={missing.current} />}
    </Listing>
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

const soonMs = 3_600_000;

/** One request of the inbox: what somebody needs to choose what to look at first. */
function InboxRow({ request }: { request: AskedRequest }): VNode {
  const { name } = useSession();
  const now = useNow();
  const {
    id,
    kind,
    message,
    procedure,
    created_at,
    deadline,
    approvers,
    quorum,
    votes = [],
    hints,
  } = request;
  const isSoon = deadline !== null && new Date(deadline).getTime() - now < soonMs;
  const hasVoted = votes.some(({ by }) => by === name);
  return (
    <li class="row">
      <span class={`kind ${kind}`}>{kindNames[kind]}</span>
      <div class="row-main">
        <Link to={requestPath(id)} class="row-link">
          <Text text={hints?.label ?? message} short={240} />
        </Link>
        <p class="row-facts">
          <span>
            <Text text={procedure} short={80} />
          </span>
          <Id text={id} />
          <span>
            asked <Time at={created_at} isAlone />
          </span>
          {approvers.length > 0 && (
            <span>
              for <Text text={approvers.join(', ')} short={80} />
            </span>
          )}
        </p>
      </div>
      <div class="row-end">
        {quorum !== undefined && (
          <span class="badge">
            {votes.length} of {quorum} said
          </span>
        )}
        {hasVoted && <span class="badge good">answered by you</span>}
        {request.preconditions_before !== undefined && <span class="badge warn">changed</span>}
        {deadline !== null && (
          <span class={isSoon ? 'badge warn' : 'badge'}>
            due <Time at={deadline} isAlone />
          </span>
        )}
      </div>
    </li>
  );
}

interface InboxFiltersProps {
  filter: RequestFilter;
  onChange: (filter: RequestFilter) => void;
  searchRef: RefObject<HTMLInputElement | null>;
}

/** What of the inbox is shown. */
function InboxFilters({ filter, onChange, searchRef }: InboxFiltersProps): VNode {
  const { me } = useSession();
  return (
    <search class="filters">
      <label class="field grow">
        <span>Search</span>
        <input
          ref={searchRef}
          type="search"
          placeholder="Words of the message …"
          value={filter.text}
          onInput={(event) => onChange({ ...filter, text: event.currentTarget.value })}
        />
      </label>
      <label class="field">
        <span>Kind</span>
        <select
          value={filter.kind}
          onChange={(event) => onChange({ ...filter, kind: event.currentTarget.value })}
        >
          <option value="">All</option>
          {Object.entries(kindNames).map(([kind, name]) => (
            <option key={kind} value={kind}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Procedure</span>
        <input
          type="text"
          value={filter.procedure}
          placeholder="Any"
          onInput={(event) => onChange({ ...filter, procedure: event.currentTarget.value })}
        />
      </label>
      {me.name === null && <NameField isNeeded={false} />}
      <label class="choice chip">
        <input
          type="checkbox"
          checked={filter.isForMe}
          onChange={(event) => onChange({ ...filter, isForMe: event.currentTarget.checked })}
        />
        For me
      </label>
    </search>
  );
}

interface RequestFilter {
  text: string;
  kind: string;
  procedure: string;
  /** Only what I may decide. */
  isForMe: boolean;
}

/** As the address says it, so that a filtered inbox can be kept as a bookmark. */
function readFilter(): RequestFilter {
  const query = new URLSearchParams(location.search);
  return {
    text: query.get('q') ?? '',
    kind: query.get('kind') ?? '',
    procedure: query.get('procedure') ?? '',
    isForMe: query.has('mine'),
  };
}

function keepFilter({ text, kind, procedure, isForMe }: RequestFilter): void {
  const given = Object.entries({ q: text, kind, procedure, mine: isForMe ? '1' : '' });
  replaceQuery(new URLSearchParams(given.filter(([, value]) => value !== '')));
}

/** As the API wants it. */
function toQuery({ text, kind, procedure, isForMe }: RequestFilter, name: string): string {
  const given = Object.entries({ q: text, kind, procedure: procedure.trim(), approver: isForMe ? name : '' });
  return new URLSearchParams(given.filter(([, value]) => value !== '')).toString();
}
