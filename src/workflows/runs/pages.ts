import type { Checkpoint } from '../../contract/checkpoints/checkpoint.js';
import { jsonSize } from '../../contract/json/json.js';
import type { Message } from '../../contract/models/model-call.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import type {
  ConversationPage,
  LastAnswers,
  LogEntryView,
  LogPage,
  Shown,
  ShownPage,
} from '../../contract/runs/run-view.js';
import { readPage } from '../../log/pages.js';
import { entryView } from './log-entry-view.js';
import { before, endedHere, endedIn, passView } from './passes.js';
import { authorityIn, boundedState, isShownWhole, pendingView, runView, type RunFacts } from './views.js';

/** The server refuses a query's answer over 2 MiB: what may grow is given in pages. */
export const pageBytes = 1_000_000;

/** Checkpoints from number `from` on, as many as fit. */
export function logPage(facts: RunFacts, from: number, maxBytes = pageBytes): LogPage {
  const { log, start, started } = facts;
  const { showContent } = started.start.settings ?? {};
  const isShown = showContent !== false;
  const entry = (i: number): LogEntryView =>
    entryView(log[(start?.index ?? 0) + i] as Checkpoint, isShown, showContent === true);
  const { items, next } = pageOfPass(before(facts).checkpoints, endedHere(facts), from, entry, maxBytes);
  return {
    procedure_id: facts.runId,
    status: facts.status,
    authority: authorityIn(facts),
    replay_index: endedIn(facts),
    ...passView(facts),
    state: isShown ? boundedState(facts.state) : {},
    execution_log: items,
    next,
  };
}

/** Of a log that is kept beside the run. */
const keptLogBytes = 200_000;

/** What a run that has ended answers from then on; undefined where it has not, and where its state is too large to be kept. */
export function lastAnswers(facts: RunFacts): LastAnswers | undefined {
  if (facts.ending === null || !isShownWhole(facts.state)) return undefined;
  const log = logPage(facts, 0, keptLogBytes);
  return { status: runView(facts), log: log.next === null ? log : null };
}

/** Lines from number `from` on, as many as fit. */
export function shownPage(facts: RunFacts, from: number): ShownPage {
  const { shown } = facts;
  const line = (i: number): Shown => shown[i] as Shown;
  const { items, first } = pageOfPass(before(facts).shown, shown.length, from, line, pageBytes);
  return { shown: items, next: first + items.length, ...passView(facts) };
}

/** Whole requests from number `from` on, as many as fit; `next` is where to go on, null at the end. */
export function pendingPage(facts: RunFacts, from: number): { pending: HumanRequest[]; next: number | null } {
  const all = pendingView(facts);
  const { items, next } = readPage(all.length, from, (i) => all[i] as HumanRequest, pageBytes);
  return { pending: items, next };
}

/** Messages from one on, as many as an answer holds, one at least; null where the call isn't open. */
export function conversationPage(messages: readonly Message[] | null, from: number): ConversationPage | null {
  if (messages === null) return null;
  let to = from;
  for (let bytes = 0; to < messages.length; to++) {
    bytes += jsonSize(messages[to] ?? null);
    if (bytes > pageBytes && to > from) break;
  }
  return { messages: messages.slice(from, to), next: to < messages.length ? to : null };
}

/** A page of a list whose numbers go on from pass to pass: what stood before isn't here. */
function pageOfPass<T extends object>(
  first: number,
  count: number,
  from: number,
  item: (index: number) => T,
  maxBytes: number,
): { items: T[]; next: number | null; first: number } {
  const begin = Math.max(from, first);
  return { ...readPage(first + count, begin, (i) => item(i - first), maxBytes), first: begin };
}
