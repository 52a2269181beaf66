import { sleep } from '@temporalio/workflow';
import type { RunLook } from '../../contract/runs/child-run.js';
import { remoteRunReader } from '../effects/activities.js';
import type { Follower } from '../sequence.js';

const longestMs = 6 * 3_600_000;
/** So many runs are looked at in one activity. */
const idsOfLook = 100;

export interface Watched {
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
export function watchRuns(follower: Follower, now: () => number, watched: Watched): void {
  const since = now();
  const { ids, told, firstMs, brief } = watched;
  const wait = (ms: number): void =>
    follower.follow(() => sleep(ms, { summary: 'until the next look at other runs' }), look, again);
  const again = (): void => wait(Math.min(longestMs, Math.max(1_000, firstMs, (now() - since) / 10)));
  const look = (): void => {
    const wanted = ids();
    if (wanted.length === 0) return watched.ended?.();
    follower.follow(
      () => lookAt(wanted, brief),
      (looks) => {
        told(looks);
        if (ids().length > 0) again();
        else watched.ended?.();
      },
      watched.failed ?? again,
    );
  };
  if (firstMs > 0) wait(firstMs);
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
