import { definitions } from '../../src/contract/effects/all.generated.js';

type Definition = (typeof definitions)[number];

/** The kinds of effects that a version of this package knew. */
export function kindsOf(version: string): Definition[] {
  return definitions.filter((each) => !('since' in each) || compare(each.since, version) <= 0);
}

/** Whether a version is this one, or came after it. */
export function isFrom(first: string, version: string): boolean {
  return compare(first, version) <= 0;
}

const compare = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
