import { TactusError } from '../../contract/errors.js';
import { isWanted, type AskedRequest, type Missing, type RequestFilter } from './asked-request.js';
import { byCreation, type RequestBoard } from './request-board.js';
import type { Source } from './run-list.js';

export interface RequestPage {
  source: Source;
  requests: AskedRequest[];
  next: string | null;
  missing: readonly Missing[];
}

/**
 * Open requests of all runs, the oldest first. What somebody decides on is never read from here, but from its run.
 * @throws TactusError usage where `after` is no `next`
 */
export async function requestPage(board: RequestBoard, filter: RequestFilter): Promise<RequestPage> {
  const { requests, missing } = await board.look();
  const after = filter.after === undefined ? null : readPlace(filter.after);
  const later = requests.filter(
    (request) => isWanted(request, filter) && (after === null || byCreation(request, after) > 0),
  );
  const page = later.slice(0, filter.limit);
  const last = page.at(-1);
  const next = later.length > page.length && last !== undefined ? placeOf(last) : null;
  return { source: 'runs', requests: page, next, missing };
}

function placeOf({ created_at, run_id, position }: AskedRequest): string {
  return Buffer.from(JSON.stringify([created_at, run_id, position])).toString('base64url');
}

/** The request at which a page ended, as far as its place tells of it. */
function readPlace(token: string): AskedRequest {
  try {
    const place: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (Array.isArray(place) && place.length === 3 && place.every((each) => typeof each === 'string')) {
      const [created_at, run_id, position] = place as [string, string, string];
      return { created_at, run_id, position } as AskedRequest;
    }
  } catch {
    // Said below.
  }
  throw new TactusError('usage', 'after is no place in a list: take the `next` of the page before');
}
