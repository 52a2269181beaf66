import type { RefObject, VNode } from 'preact';
import { kindNames } from '../../api/shapes.js';
import { NameField } from '../../shell/name-field.js';
import { replaceQuery } from '../../shell/navigation.js';
import { useSession } from '../../shell/session.js';

interface InboxFiltersProps {
  filter: RequestFilter;
  onChange: (filter: RequestFilter) => void;
  searchRef: RefObject<HTMLInputElement | null>;
}

/** What of the inbox is shown. */
export function InboxFilters({ filter, onChange, searchRef }: InboxFiltersProps): VNode {
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
export function readFilter(): RequestFilter {
  const query = new URLSearchParams(location.search);
  return {
    text: query.get('q') ?? '',
    kind: query.get('kind') ?? '',
    procedure: query.get('procedure') ?? '',
    isForMe: query.has('mine'),
  };
}

export function keepFilter({ text, kind, procedure, isForMe }: RequestFilter): void {
  const given = Object.entries({ q: text, kind, procedure, mine: isForMe ? '1' : '' });
  replaceQuery(new URLSearchParams(given.filter(([, value]) => value !== '')));
}

/** As the API wants it. */
export function toQuery({ text, kind, procedure, isForMe }: RequestFilter, name: string): string {
  const given = Object.entries({ q: text, kind, procedure: procedure.trim(), approver: isForMe ? name : '' });
  return new URLSearchParams(given.filter(([, value]) => value !== '')).toString();
}
