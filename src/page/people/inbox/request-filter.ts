import { replaceQuery } from '../../shell/navigation.js';

export interface RequestFilter {
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
