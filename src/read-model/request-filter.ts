import { mayDecide } from '../contract/people/ledger/check-decision.js';
import type { IndexedRequest, IndexedRequestFilter } from './run-index.js';

/** What of a filter speaks of the requests themselves. */
export type RequestFilter = Omit<IndexedRequestFilter, 'limit' | 'after'>;

/** Whether a filter leaves a request: the same as an index says, of a request that comes from its run. */
export function matchesFilter(request: IndexedRequest, filter: RequestFilter): boolean {
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

/** Names, so that the text of one name is in the text of several exactly if it is among them. */
export function namesText(names: readonly string[]): string {
  return names.map((name) => `\n${JSON.stringify(name)}\n`).join('');
}

/** The names of a text that `namesText` made. */
export function namesIn(text: string): string[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as string);
}

/** A text as it is searched: databases differ in what they take for the same letter in capitals. */
export function wordsText(text: string): string {
  return text.toLowerCase();
}
