import { comparePositions } from '../contract/position.js';
import type { HumanRequest } from '../contract/human-request.js';
import type { RunView } from '../contract/run-view.js';
import type { Session } from './session.js';

export interface OpenRequests {
  /** In the order of their creation. */
  requests: HumanRequest[];
  /** Nothing goes on until a person answers. */
  isWaiting: boolean;
}

/** The open requests of a run and of the runs that it waits for. */
export async function openRequests(session: Session, view: RunView): Promise<OpenRequests> {
  const children = await Promise.all(
    view.waits
      .filter(({ kind }) => kind === 'child')
      .map(async ({ position }) => {
        // A child that is just starting has nothing to ask yet.
        const childView = await session.view(`${view.run_id}/${position}`).catch(() => null);
        return childView === null ? { requests: [], isWaiting: false } : openRequests(session, childView);
      }),
  );
  const requests = [...view.pending, ...children.flatMap((child) => child.requests)].sort(byCreation);
  const isWaiting =
    view.status === 'waiting_for_human' ||
    (view.status === 'waiting_for_children' &&
      children.length > 0 &&
      children.every((child) => child.isWaiting));
  return { requests, isWaiting };
}

export function byCreation(a: HumanRequest, b: HumanRequest): number {
  return a.created_at === b.created_at
    ? comparePositions(a.position, b.position)
    : a.created_at < b.created_at
      ? -1
      : 1;
}
