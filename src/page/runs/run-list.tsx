import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { runStatuses } from '../../contract/runs/run-view.js';
import type { ListedRun } from '../api/shapes.js';
import { Heading, Link, useTitle } from '../shell/navigation.js';
import { runPath } from '../shell/route.js';
import { useSession } from '../shell/session.js';
import { useEvents, useFilter, useList, useRowKeys } from '../shell/use-list.js';
import { useShortcuts } from '../shell/use-shortcuts.js';
import { durationText } from '../text/relative-time.js';
import { Problem, Text, Time } from '../text/text.js';
import { StatusBadge } from './run-link.js';

/** What runs there are, the newest first. */
export function RunList(): VNode {
  const { api } = useSession();
  const { query, settled, set } = useFilter();
  const search = useRef<HTMLInputElement>(null);
  const { items, hasMore, problem, more, refresh } = useList(api, '/runs', settled, ({ runs, next }) => ({
    items: runs,
    next,
  }));
  useEvents(({ event }) => {
    if (event === 'run' || event === 'reset') refresh();
  });
  useRowKeys('.row-link');
  useShortcuts({ '/': () => search.current?.focus() });
  useTitle('Runs');
  return (
    <>
      <div class="head">
        <Heading>Runs</Heading>
        <p class="muted" role="status">
          {items !== null && `${items.length}${hasMore ? '+' : ''} shown`}
        </p>
      </div>
      <search class="filters">
        <label class="field grow">
          <span>Search</span>
          <input
            ref={search}
            type="search"
            placeholder="Procedure or id …"
            value={query.get('q') ?? ''}
            onInput={(event) => set('q', event.currentTarget.value)}
          />
        </label>
        <label class="field">
          <span>Status</span>
          <select
            value={query.get('status') ?? ''}
            onChange={(event) => set('status', event.currentTarget.value)}
          >
            <option value="">All</option>
            {runStatuses.map((status) => (
              <option key={status} value={status}>
                {status.replaceAll('_', ' ')}
              </option>
            ))}
          </select>
        </label>
        <label class="choice chip">
          <input
            type="checkbox"
            checked={query.has('open')}
            onChange={(event) => set('open', event.currentTarget.checked ? 'true' : '')}
          />
          Open only
        </label>
      </search>
      <Problem problem={problem} isOld={items !== null} />
      {items?.length === 0 && (
        <div class="empty">
          <p class="empty-title">No runs</p>
          <p class="muted">Start one with tactus-temporal run, or change the filters.</p>
        </div>
      )}
      <ul class="rows">
        {items?.map((run) => (
          <RunRow key={run.run_id} run={run} />
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

function RunRow({ run }: { run: ListedRun }): VNode {
  const { run_id, procedure, status, started_at, closed_at } = run;
  return (
    <li class="row run-row">
      <div class="row-main">
        <Link to={runPath(run_id)} class="row-link">
          <Text text={procedure} short={120} />
        </Link>
        <p class="row-facts">
          <span class="mono">
            <Text text={run_id} short={120} />
          </span>
          <span>
            started <Time at={started_at} isAlone />
          </span>
          {closed_at !== null && (
            <span>took {durationText(new Date(closed_at).getTime() - new Date(started_at).getTime())}</span>
          )}
        </p>
      </div>
      <div class="row-end">
        <StatusBadge status={status} />
      </div>
    </li>
  );
}
