import { TactusError } from '../../contract/errors.js';
import { isWanted } from '../../read-model/is-wanted.js';
import type { IndexedRequest, IndexedRequestFilter } from '../../read-model/run-index.js';
import type { OpenNamespace } from '../namespaces.js';
import { askingOf } from '../served-namespace.js';
import { byCreation, heardOf, type Board, type Missing } from './request-board.js';
import { isAway, type Source } from '../runs/run-list.js';

export interface RequestPage {
  source: Source;
  requests: IndexedRequest[];
  next: string | null;
  missing: readonly Missing[];
}

/**
 * Open requests of all runs, the oldest first. What somebody decides on is never read from here, but from its run.
 * @throws TactusError usage where `after` is no `next`
 */
export async function requestPage(
  namespace: OpenNamespace,
  filter: IndexedRequestFilter,
): Promise<RequestPage> {
  if (!namespace.isIndexed) return pageOf(await namespace.board.look(), filter);
  try {
    const { look } = askingOf(namespace);
    const { requests, next, missing } = await look(() => namespace.tactus.openRequests(filter));
    return { source: 'index', requests: heardOf(requests, missing), next, missing };
  } catch (error) {
    if (!isAway(namespace, error)) throw error;
    return pageOf(await namespace.board.look(), filter);
  }
}

function pageOf({ source, requests, missing }: Board, filter: IndexedRequestFilter): RequestPage {
  const after = filter.after === undefined ? null : readPlace(filter.after);
  const later = requests.filter(
    (request) => isWanted(request, filter) && (after === null || byCreation(request, after) > 0),
  );
  const page = later.slice(0, filter.limit);
  const last = page.at(-1);
  const next = later.length > page.length && last !== undefined ? placeOf(last) : null;
  return { source, requests: page, next, missing };
}

function placeOf({ created_at, run_id, position }: IndexedRequest): string {
  return Buffer.from(JSON.stringify([created_at, run_id, position])).toString('base64url');
}

/** The request at which a page ended, as far as its place tells of it. */
function readPlace(token: string): IndexedRequest {
  try {
    const place: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (Array.isArray(place) && place.length === 3 && place.every((each) => typeof each === 'string')) {
      const [created_at, run_id, position] = place as [string, string, string];
      return { created_at, run_id, position } as IndexedRequest;
    }
  } catch {
    // Said below.
  }
  throw new TactusError('usage', 'after is no place in a list: take the `next` of the page before');
}
