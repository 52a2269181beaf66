import { mayDecide } from '../contract/people/ledger/check-decision.js';
import type { IndexedRequest, IndexedRequestFilter } from './run-index.js';
import { wordsText } from './searched-text.js';

/** What of a filter speaks of the requests themselves. */
export type WantedFilter = Omit<IndexedRequestFilter, 'limit' | 'after'>;

/** Whether a filter leaves a request: the same as an index says, of a request that comes from its run. */
export function isWanted(request: IndexedRequest, filter: WantedFilter): boolean {
  const { runIds, procedure, kind, approver, text, askedBefore } = filter;
  return (
    (runIds === undefined || runIds.includes(request.run_id)) &&
    (procedure === undefined || request.procedure === procedure) &&
    (kind === undefined || request.kind === kind) &&
    (approver === undefined || mayDecide(request, { by: approver }) === null) &&
    (text === undefined || wordsText(request.message).includes(wordsText(text))) &&
    (askedBefore === undefined || request.created_at <= askedBefore)
  );
}
