import { digestOf } from '../../effects/digest.js';
import type { HumanAnswer, HumanRequest } from '../human-request.js';
import type { JsonValue } from '../../json/json.js';
import { closingChannels, withNotices } from './closing-notices.js';
import { maxClosedRequests } from './ledger-limits.js';
import type { ClosedRequest, Ledger } from './ledger-shape.js';
import { quoteText } from './quote-text.js';

interface Closing {
  how: ClosedRequest['how'];
  at: number;
  /** null for a cancelled request: nobody waits for its answer. */
  answer: HumanAnswer | null;
  decisionId: string | null;
  /** The value as it was sent; left out where nobody sent one. */
  given?: JsonValue;
}

/** Moves an open request to the closed ones; the oldest of these are dropped where there are too many. */
export function closeRequest(ledger: Ledger, request: HumanRequest, closing: Closing): Ledger {
  const { how, at, answer, decisionId, given } = closing;
  const valueDigest = answer === null ? null : digestOf(answer.value);
  const givenDigest = given === undefined ? valueDigest : digestOf(given);
  const entry: ClosedRequest = {
    id: request.id,
    kind: request.kind,
    digest: request.digest,
    how,
    at,
    by: answer?.by ?? null,
    decisionId,
    valueDigest,
    ...(givenDigest === null || givenDigest === valueDigest ? {} : { givenDigest }),
    valueText: answer === null ? '' : quoteText(answer.value),
    answer,
  };
  const told = withNotices(ledger, request, entry, closingChannels(request));
  return {
    ...told,
    open: ledger.open.filter(({ id }) => id !== request.id),
    closed: [...ledger.closed, entry].slice(-maxClosedRequests),
  };
}
