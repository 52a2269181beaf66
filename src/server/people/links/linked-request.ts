import type { LinkClaims } from '../../../authority/signed-links.js';
import { mayDecide } from '../../../contract/people/ledger/check-decision.js';
import { TactusError } from '../../../contract/errors.js';
import type { JsonValue } from '../../../contract/json/json.js';
import type { IndexedRequest } from '../../../read-model/run-index.js';
import { readRequest, type ClosedRequest } from '../../http/read-request.js';
import type { ServedNamespace } from '../../served-namespace.js';

/**
 * How things stand with a request, for whoever has a link to it. What the link wasn't made for isn't shown to them.
 *  - `open`: it can be answered.
 *  - `voted`: this person has answered, and others must, too.
 *  - `closed`: it has been answered, has timed out, or was taken back.
 *  - `expired`: the link's time is over, whatever has become of the request.
 *  - `changed`: something else is asked now.
 *  - `not_allowed`: somebody else is to answer now.
 *  - `gone`: nothing is asked there.
 */
export type LinkedState =
  | { state: 'open'; request: IndexedRequest }
  | { state: 'voted'; value: JsonValue; at: string }
  | { state: 'closed'; request: ClosedRequest }
  | { state: 'expired'; at: string }
  | { state: 'changed' | 'gone' }
  | { state: 'not_allowed'; reason: string };

/** @throws TactusError run_stuck; no_worker */
export async function linkedRequest(
  namespace: ServedNamespace,
  { request: id, digest, askedAt, approver, expiresAt }: LinkClaims,
  now = Date.now(),
): Promise<LinkedState> {
  if (now >= expiresAt) return { state: 'expired', at: new Date(expiresAt).toISOString() };
  const read = await readRequest(namespace, id).catch((error: unknown) => {
    if (error instanceof TactusError && error.code === 'request_unknown') return null;
    throw error;
  });
  if (read === null) return { state: 'gone' };
  // What was asked at another time is another request: of a later run of the same id, or after a reset. The log has no digest.
  if (read.state === 'closed') return read.request.created_at === askedAt ? read : { state: 'gone' };
  const { request } = read;
  if (request.digest !== digest) return { state: 'changed' };
  if (request.created_at !== askedAt) return { state: 'gone' };
  const refused = mayDecide(request, { by: approver });
  if (refused !== null) return { state: 'not_allowed', reason: refused.message };
  const vote = request.votes?.find(({ by }) => by === approver);
  return vote === undefined ? read : { state: 'voted', value: vote.value, at: vote.at };
}
