/** A run was asked to end, and its compensations and deferred functions have their turn. Times are ms since 1970. */
export interface Cancelling {
  since: number;
  /** Then it ends, whatever is left. */
  until: number;
}

/** The same, as the outside is shown it. Times are ISO 8601 in UTC. */
export interface CancellingView {
  since: string;
  /** Then it ends, whatever is left. */
  until: string;
  /** Names of compensations and deferred functions that have not ended, the next first; 50 at most. */
  left: string[];
  /** How many others are left; left out where there are none. */
  more?: number;
}

const mostNames = 50;
const longestName = 200;

/** @param left names of what has not ended, the next first */
export function cancellingView({ since, until }: Cancelling, left: readonly string[]): CancellingView {
  const more = left.length - mostNames;
  return {
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
    left: left.slice(0, mostNames).map((name) => name.slice(0, longestName)),
    ...(more > 0 ? { more } : {}),
  };
}

const mostInText = 10;

/** `cancelling since 2026-01-01T00:00:00.000Z, until 2026-01-01T00:05:00.000Z at the latest; left: cancel hotel, close`. */
export function cancellingText({ since, until, left, more = 0 }: CancellingView): string {
  const others = Math.max(0, left.length - mostInText) + more;
  const names = [...left.slice(0, mostInText), ...(others > 0 ? [`${others} more`] : [])];
  return `cancelling since ${since}, until ${until} at the latest; left: ${names.join(', ') || 'nothing'}`;
}
