import { sleep } from '@temporalio/workflow';
import type { RunLook } from '../../contract/runs/child-run.js';
import type { Carry } from '../../contract/runs/start-input.js';
import { remoteRunReader } from '../effects/activities.js';
import type { Follower } from '../sequence.js';

const longestMs = 6 * 3_600_000;
/** So many runs are looked at in one activity. */
const idsOfLook = 100;

/** When a watch looks next, and since when it does, in ms since 1970. */
export type WatchTimes = NonNullable<Carry['watches']>[string];

/**
 * The watches of an execution.
 *
 * Owns: the times of each watch, by its name: `children`, `parent`, or the position of the effect that waits.
 * Asks: nobody; `watchRuns` keeps the times here.
 * Invariants: 1. A name has one watch at a time. 2. A watch that the execution before has begun goes on with its
 * times: pauses grow over weeks, however often a run continues as new.
 */
export class Watches {
  /** Watches, and work that is like one, that nothing but time brings to an end. */
  underWay = 0;
  private readonly begun = new Map<string, WatchTimes>();
  private readonly carried: Map<string, WatchTimes>;

  /** `doLast`: they are handed over, since engine 10. */
  constructor(
    carried: Readonly<Record<string, WatchTimes>>,
    private readonly doLast: boolean,
  ) {
    this.carried = new Map(Object.entries(carried));
  }

  has(name: string): boolean {
    return this.begun.has(name);
  }

  begin(name: string, now: number, firstMs: number): WatchTimes {
    const times = this.carried.get(name) ?? { since: now, next: now + firstMs };
    this.carried.delete(name);
    this.begun.set(name, times);
    return times;
  }

  end(name: string): void {
    this.begun.delete(name);
  }

  /** For the next execution; `hasNewChildren`: it looks at children that this one didn't, so that watch begins anew. */
  handedOver(hasNewChildren: boolean): Record<string, WatchTimes> | undefined {
    const all = [...this.carried, ...this.begun].filter(([name]) => name !== 'children' || !hasNewChildren);
    return all.length === 0 || !this.doLast ? undefined : Object.fromEntries(all);
  }
}

export interface Watched {
  /** One of `Watches`. */
  name: string;
  /** Ids to look at now; none: the watch ends. */
  ids: () => readonly string[];
  told: (looks: readonly RunLook[]) => void;
  /** The first look comes after this time, in ms; 0: at once. Later ones after a tenth of the time that has passed. */
  firstMs: number;
  /** How they ended is enough, without what they gave. */
  brief: boolean;
  /** Whoever asks can't go on without; left out: a look that failed is followed by the next. */
  failed?: (error: unknown) => void;
  /** There is nothing left to look at. */
  ended?: () => void;
}

/** Looks at runs that don't report to this one, soon at first and then ever more seldom, at least every six hours. */
export function watchRuns(
  { watches, now }: { watches: Watches; now: () => number },
  follower: Follower,
  watched: Watched,
): void {
  const { name, ids, told, firstMs, brief } = watched;
  const times = watches.begin(name, now(), firstMs);
  const end = (): void => {
    watches.end(name);
    watched.ended?.();
  };
  const wait = (): void =>
    follower.follow(
      () => sleep(times.next - now(), { summary: 'until the next look at other runs' }),
      look,
      again,
    );
  const again = (): void => {
    times.next = now() + Math.min(longestMs, Math.max(1_000, firstMs, (now() - times.since) / 10));
    wait();
  };
  const look = (): void => {
    const wanted = ids();
    if (wanted.length === 0) return end();
    follower.follow(
      () => lookAt(wanted, brief),
      (looks) => {
        told(looks);
        if (ids().length > 0) again();
        else end();
      },
      watched.failed ?? again,
    );
  };
  if (times.next > now()) wait();
  else look();
}

/** One look at runs, in as many activities as it takes. */
export async function lookAt(ids: readonly string[], brief: boolean): Promise<RunLook[]> {
  const parts: Promise<RunLook[]>[] = [];
  for (let from = 0; from < ids.length; from += idsOfLook) {
    const part = ids.slice(from, from + idsOfLook);
    const [first = '', ...others] = part;
    const summary = `looks at ${first}${others.length === 0 ? '' : ` and ${others.length} others`}`;
    parts.push(remoteRunReader(summary).lookAtRuns({ ids: part, ...(brief ? { brief } : {}) }));
  }
  return (await Promise.all(parts)).flat();
}
