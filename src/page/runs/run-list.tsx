import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { runStatuses } from '../../contract/runs/run-view.js';
import type { ListedRun } from '../api/shapes.js';
import { Link, useTitle } from '../shell/navigation.js';
import { runPath } from '../shell/route.js';
import { Listing } from '../shell/listing.js';
import { useSession } from '../shell/session.js';
import { useEvents, useFilter, useList, useRowKeys } from '../shell/use-list.js';
import { useShortcuts } from '../shell/use-shortcuts.js';
import { durationText } from '../text/relative-time.js';
import { Id, Text, Time } from '../text/text.js';
import { Labels, publishedText, StatusBadge } from './run-link.js';

/** What runs there are, the newest first. */
export function RunList(): VNode {
  const { api } = useSession();
  const { query, settled, set } = useFilter();
  const search = useRef<HTMLInputElement>(null);
  const list = useList(api, '/runs', settled, ({ runs, next }) => ({
    items: runs,
    next,
  }));
  useEvents(({ event }) => {
    if (event === 'run' || event === 'reset') list.refresh();
  });
  useRowKeys('.row-link');
  useShortcuts({ '/': () => search.current?.focus() });
  useTitle('Runs');
  return (
    <Listing
      title="Runs"
      countOf="shown"
      empty={{ title: 'No runs', text: 'Start one with tactus-temporal run, or change the filters.' }}
      row={(run) => <RunRow key={run.run_id} run={run} />}
      list={list}
    >
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
    </Listing>
  );
}

function RunRow({ run }: { run: ListedRun }): VNode {
  const { run_id, procedure, status, started_at, closed_at, published, labels } = run;
  return (
    <li class="row run-row">
      <div class="row-main">
        <Link to={runPath(run_id)} class="row-link">
          <Text text={procedure} short={120} />
        </Link>
        <p class="row-facts">
          <Id text={run_id} />
          <span>
            started <Time at={started_at} isAlone />
          </span>
          {closed_at !== null && (
            <span>took {durationText(new Date(closed_at).getTime() - new Date(started_at).getTime())}</span>
          )}
          {published && <Text text={publishedText(published)} short={200} />}
          {labels && <Labels labels={labels} />}
        </p>
      </div>
      <div class="row-end">
        <StatusBadge status={status} />
      </div>
    </li>
  );
}
