import { authorityOf, type AuthorityMode } from '../../contract/authority/authority.js';
import type { BudgetView } from '../../contract/budgets/budget.js';
import { forkedFrom } from '../../contract/changes/forked-from.js';
import type { ChangeRecord } from '../../contract/changes/run-change.js';
import type { CarriedAnswers } from '../../contract/runs/carried-answers.js';
import type { Checkpoint } from '../../contract/checkpoints/checkpoint.js';
import type { RunError } from '../../contract/errors.js';
import { defined, isObject, jsonSize, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { Steering } from '../../contract/agents/steer-effect.js';
import type { Message, Usage } from '../../contract/models/model-call.js';
import type {
  ConversationPage,
  LogEntryView,
  LogPage,
  RunStatus,
  RunVersion,
  RunView,
  Shown,
  ShownPage,
  Wait,
} from '../../contract/runs/run-view.js';
import type { OpenSuperStep } from '../../contract/graphs/super-step.js';
import type { SessionView } from '../../contract/sessions/session-view.js';
import type { HoldView } from '../../contract/changes/hold.js';
import type { PauseView } from '../../contract/changes/pause.js';
import type { CancellingView } from '../../contract/runs/cancelling.js';
import type { HandedWork, RunStarted } from '../../contract/runs/start-input.js';
import type { Decisions, EndMarks, Marks } from '../../contract/runs/marks.js';
import type { Pass } from '../../contract/runs/pass.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import { shownMessage } from '../people/message-input.js';
import type { LogStart } from '../../log/compaction.js';
import { readPage } from '../../log/pages.js';
import { entryView } from './log-entry-view.js';

/** The server refuses a query's answer over 2 MiB: what may grow is given in pages, or its newest part. */
export const pageBytes = 1_000_000;
const shownBytes = 300_000;
const stateBytes = 300_000;
const planBytes = 100_000;
const outputBytes = 600_000;
const requestsBytes = 300_000;
/** Of what nobody has heard: all of it is in the history. */
const mostUnheard = 20;
/** Of a request whose whole text is for `pending`. */
const shortText = 500;

/** All that views are made of. */
export interface RunFacts {
  runId: string;
  procedure: string;
  readonly status: RunStatus;
  ending: { status: RunStatus; output: JsonValue; error: RunError | null; at: number } | null;
  readonly pending: readonly HumanRequest[];
  readonly waits: readonly Wait[];
  /** Left out by engine 1, and where the run isn't paused. */
  readonly paused?: PauseView | undefined;
  /** Left out by engine 1, and where no call of the run is held. */
  readonly held?: HoldView[] | undefined;
  /** Left out by engine 1, and where the run isn't cancelling. */
  readonly cancelling?: CancellingView | undefined;
  readonly children: readonly string[];
  readonly log: readonly Checkpoint[];
  /** How many of them have ended. */
  readonly ended: number;
  /** What it goes on with that began again; left out in the first pass. */
  readonly pass?: Pass | undefined;
  /** Where the log of this pass begins; left out: at its first checkpoint. */
  readonly start?: LogStart;
  /** The execution where what stands before that is read. */
  readonly earlier?: string | undefined;
  /** Recorded elsewhere, and not asked for yet; left out by engine 1. */
  readonly answersLeft?: CarriedAnswers | null;
  /** Left out where it wasn't changed. */
  readonly changes?: readonly ChangeRecord[] | undefined;
  readonly usage: Usage;
  readonly budgets: readonly BudgetView[];
  /** Left out by engine 1. */
  readonly marks?: Marks;
  /** What was said to agents and none has taken. */
  readonly unheard: readonly Steering[];
  readonly shown: readonly Shown[];
  readonly state: JsonObject;
  /** Left out by engine 1. */
  readonly session?: SessionView;
  /** Super-steps of graphs that are under way; left out by engine 1. */
  readonly superSteps?: readonly OpenSuperStep[];
  startedAt: number;
  readonly started: RunStarted;
  /** What people have done, and no checkpoint has; left out by engine 1. */
  readonly work?: HandedWork;
  /** Left out by engines that don't count. */
  readonly version?: RunVersion;
}

export function runView(facts: RunFacts): RunView {
  const { shown, from } = newest(facts.shown);
  return {
    run_id: facts.runId,
    procedure: facts.procedure,
    status: facts.status,
    authority: authorityIn(facts),
    output: boundedOutput(facts.ending?.output ?? null),
    state: boundedState(facts.state),
    error: facts.ending?.error ?? null,
    ...shortPending(facts),
    waits: [...facts.waits],
    ...defined({ paused: facts.paused, held: facts.held, cancelling: facts.cancelling }),
    children: [...facts.children],
    ...defined({ published: facts.started.start.published, forked_from: forkedFrom(facts.changes) }),
    ...facts.marks,
    checkpoints: endedIn(facts),
    ...passView(facts),
    usage: facts.usage,
    ...(facts.ending === null ? {} : defined({ decisions: endOf(facts).decisions })),
    ...(facts.budgets.length === 0 ? {} : { budgets: [...facts.budgets] }),
    ...planView(facts),
    ...defined({ changes: facts.changes && [...facts.changes] }),
    ...(facts.unheard.length === 0 ? {} : { unheard: shortUnheard(facts.unheard) }),
    printed: shown.flatMap((line) => (line.kind === 'print' ? [line.text] : [])),
    logs: shown.flatMap((line) =>
      line.kind === 'log' ? [{ level: line.level, message: line.message, context: line.context }] : [],
    ),
    warnings: shown.flatMap((line) => {
      if (line.kind !== 'warning') return [];
      const { kind: _, ...warning } = line;
      return [warning];
    }),
    shown_from: before(facts).shown + from,
    started_at: new Date(facts.startedAt).toISOString(),
    closed_at: facts.ending === null ? null : new Date(facts.ending.at).toISOString(),
    ...defined({ version: facts.version }),
  };
}

/** What a run that has ended leaves behind, beside its marks; decisions are those of its last pass. */
export function endOf({ usage, log }: RunFacts): Pick<EndMarks, 'usage' | 'decisions'> {
  const decisions: Decisions = { decided: 0, approved: 0 };
  for (const { type, outcome } of log) {
    if (type !== 'hitl_approval' || !outcome.ok || !isObject(outcome.value)) continue;
    const { value, timed_out: isLate, withdrawn } = outcome.value;
    if (isLate === true || withdrawn === true) continue;
    decisions.decided++;
    if (value === true) decisions.approved++;
  }
  return { usage, ...(decisions.decided === 0 ? {} : { decisions }) };
}

/** How many checkpoints the run has, those of its passes before among them. */
export function endedIn(facts: RunFacts): number {
  return before(facts).checkpoints + endedHere(facts);
}

/** How many checkpoints are read here. */
function endedHere({ ended, start }: RunFacts): number {
  return Math.max(0, ended - (start?.index ?? 0));
}

/** Ended checkpoints from a number on. */
export function endedFrom(facts: RunFacts, from: number): readonly Checkpoint[] {
  const index = Math.max(0, from - before(facts).checkpoints) + (facts.start?.index ?? 0);
  return facts.log.slice(index, facts.ended);
}

/** How many checkpoints and lines stand before those that are read here. */
function before({ pass, start }: RunFacts): { checkpoints: number; shown: number } {
  return {
    checkpoints: (pass?.checkpoints ?? 0) + (start?.checkpoints ?? 0),
    shown: (pass?.shown ?? 0) + (start?.shown ?? 0),
  };
}

/** Of a run whose log doesn't begin here: it began again from the top, or a snapshot stands for a part of it. */
function passView(facts: RunFacts): Pick<RunView, 'pass'> {
  const { pass, start, earlier } = facts;
  if (pass === undefined && (start?.checkpoints ?? 0) === 0) return {};
  const execution = earlier ?? pass?.execution;
  return { pass: { number: pass?.number ?? 0, ...before(facts), ...defined({ execution }) } };
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

/** The plan of the run, where it has one that fits: the session has it whole. */
function planView({ session }: RunFacts): Pick<RunView, 'plan'> {
  const plan = session?.plan ?? null;
  return plan === null || jsonSize(plan) > planBytes ? {} : { plan };
}

function shortUnheard(unheard: readonly Steering[]): RunView['unheard'] & object {
  return unheard.slice(0, mostUnheard).map(({ message, agent, by }) => ({
    message: message.slice(0, shortText),
    ...defined({ agent, by }),
  }));
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

function newest(lines: readonly Shown[]): { shown: readonly Shown[]; from: number } {
  let from = lines.length;
  for (let bytes = 0; from > 0; from--) {
    bytes += jsonSize(lines[from - 1] ?? null);
    if (bytes > shownBytes) break;
  }
  return { shown: lines.slice(from), from };
}

function boundedState(state: JsonObject): JsonObject {
  const size = jsonSize(state);
  return size <= stateBytes ? state : { note: `the state has ${size} bytes: ask for it alone` };
}

/** Lines from number `from` on, as many as fit. */
export function shownPage(facts: RunFacts, from: number): ShownPage {
  const { shown } = facts;
  const line = (i: number): Shown => shown[i] as Shown;
  const { items, first } = pageOfPass(before(facts).shown, shown.length, from, line, pageBytes);
  return { shown: items, next: first + items.length, ...passView(facts) };
}

function boundedOutput(output: JsonValue): JsonValue {
  const size = jsonSize(output);
  return size <= outputBytes ? output : { note: `the output has ${size} bytes: ask for the result` };
}

/** Whole requests from number `from` on, as many as fit; `next` is where to go on, null at the end. */
export function pendingPage(facts: RunFacts, from: number): { pending: HumanRequest[]; next: number | null } {
  const all = pendingView(facts);
  const { items, next } = readPage(all.length, from, (i) => all[i] as HumanRequest, pageBytes);
  return { pending: items, next };
}

/** The oldest requests, short where all of them together would be too large; `pending` has them whole. */
function shortPending(facts: RunFacts): { pending: HumanRequest[]; pending_whole: boolean } {
  const all = pendingView(facts);
  const pending: HumanRequest[] = [];
  let bytes = 0;
  let whole = 0;
  for (const request of all) {
    const size = jsonSize(request);
    const fits = bytes + size <= requestsBytes;
    const shown = fits ? request : shortened(request, size);
    bytes += fits ? size : jsonSize(shown);
    if (bytes > 2 * requestsBytes) break;
    if (fits) whole++;
    pending.push(shown);
  }
  return { pending, pending_whole: whole === all.length };
}

function shortened({ form: _, metadata: __, ...request }: HumanRequest, bytes: number): HumanRequest {
  const note = `the request has ${bytes} bytes: ask for what is pending`;
  const message = request.message.slice(0, shortText);
  return { ...request, message, context: { note }, options: [], default: null };
}

/** The requests as people read them; so many of the oldest at most. */
export function pendingView(facts: RunFacts, most = Infinity): HumanRequest[] {
  const authority = authorityIn(facts);
  // Whoever has a URL to be told at may know it alone.
  return facts.pending.slice(0, most).map(({ callback_url: _, ...each }) => ({
    ...each,
    ...(each.kind === 'multiple' ? { message: shownMessage(each.message) } : {}),
    ...(authority === 'signed' ? { authority } : {}),
  }));
}

export function authorityIn({ started }: RunFacts): AuthorityMode {
  return authorityOf(started.start.settings);
}

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
