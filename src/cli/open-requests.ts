import { comparePositions } from '../contract/position.js';
import type { HumanRequest } from '../contract/human-request.js';
import type { RunView } from '../contract/run-view.js';
import type { Session } from './session.js';

export interface OpenRequests {
  /** In the order of their creation. */
  requests: HumanRequest[];
  /** What the run can't go on without: a person, or a time that is too far off to be followed until then. */
  waitsFor: 'human' | 'time' | null;
}

/** A procedure that puts itself off for longer than this isn't followed until then. */
const longestDeferralMs = 60_000;

/** The open requests of a run, of the runs that it has started, and of those that it waits for. */
export async function openRequests(
  session: Session,
  view: RunView,
  above: readonly string[] = [],
): Promise<OpenRequests> {
  const awaited = view.waits.flatMap(({ runs }) => runs ?? []);
  const path = [...above, view.run_id];
  // Runs may wait for each other.
  const ids = [...new Set([...view.children, ...awaited])].filter((id) => !path.includes(id));
  const children = await Promise.all(
    ids.map(async (id) => {
      // A child that is just starting has nothing to ask yet.
      const childView = await session.view(id).catch(() => null);
      if (childView === null) return { id, requests: [], waitsFor: null, isClosed: false };
      const below = await openRequests(session, childView, path);
      return { id, ...below, isClosed: childView.closed_at !== null };
    }),
  );
  const requests = [...view.pending, ...children.flatMap((child) => child.requests)].sort(byCreation);
  const open = children.filter(({ id, isClosed }) => awaited.includes(id) && !isClosed);
  return { requests, waitsFor: waitsForOf(view, open) };
}

function waitsForOf(
  view: RunView,
  awaited: readonly Pick<OpenRequests, 'waitsFor'>[],
): OpenRequests['waitsFor'] {
  if (view.status === 'waiting_for_human') return 'human';
  if (isPutOff(view)) return 'time';
  if (view.status !== 'waiting_for_children' || awaited.length === 0) return null;
  if (awaited.some(({ waitsFor }) => waitsFor === null)) return null;
  return awaited.some(({ waitsFor }) => waitsFor === 'human') ? 'human' : 'time';
}

function isPutOff({ status, waits }: RunView): boolean {
  const soonest = Date.now() + longestDeferralMs;
  return (
    status === 'waiting_for_time' &&
    waits.every(({ resume_at: at }) => at !== undefined && Date.parse(at) > soonest)
  );
}

export function byCreation(a: HumanRequest, b: HumanRequest): number {
  return a.created_at === b.created_at
    ? comparePositions(a.position, b.position)
    : a.created_at < b.created_at
      ? -1
      : 1;
}
