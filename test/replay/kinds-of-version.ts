import { definitions } from '../../src/contract/effects/all.generated.js';

type Definition = (typeof definitions)[number];

/** The kinds of effects that a version of this package knew. */
export function kindsOf(version: string): Definition[] {
  return definitions.filter((each) => !('since' in each) || compare(each.since, version) <= 0);
}

const compare = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
