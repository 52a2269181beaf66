import { authorityOf, type AuthorityMode } from '../../contract/authority/authority.js';
import type { BudgetView } from '../../contract/budgets/budget.js';
import { forkedFrom } from '../../contract/changes/forked-from.js';
import type { ChangeRecord } from '../../contract/changes/run-change.js';
import type { CarriedAnswers } from '../../contract/runs/carried-answers.js';
import type { RunError } from '../../contract/errors.js';
import { defined, isObject, jsonSize, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { Steering } from '../../contract/agents/steer-effect.js';
import type { Usage } from '../../contract/models/model-call.js';
import type { RunStatus, RunVersion, RunView, Shown, Wait } from '../../contract/runs/run-view.js';
import type { OpenSuperStep } from '../../contract/graphs/super-step.js';
import type { SessionView } from '../../contract/sessions/session-view.js';
import type { HoldView } from '../../contract/changes/hold.js';
import type { PauseView } from '../../contract/changes/pause.js';
import type { CancellingView } from '../../contract/runs/cancelling.js';
import type { HandedWork, RunStarted } from '../../contract/runs/start-input.js';
import type { Decisions, EndMarks, Marks } from '../../contract/runs/marks.js';
import type { HumanRequest } from '../../contract/people/human-request.js';
import { shownMessage } from '../people/message-input.js';
import type { TracedRun } from '../traces/run-trace.js';
import { before, endedIn, passView, type LogFacts } from './passes.js';

/** The server refuses a query's answer over 2 MiB: of what may grow, a view has the newest part, and `pages.ts` the rest. */
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
export interface RunFacts extends LogFacts {
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
  /** Left out by engine 1. */
  readonly trace?: TracedRun;
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

function newest(lines: readonly Shown[]): { shown: readonly Shown[]; from: number } {
  let from = lines.length;
  for (let bytes = 0; from > 0; from--) {
    bytes += jsonSize(lines[from - 1] ?? null);
    if (bytes > shownBytes) break;
  }
  return { shown: lines.slice(from), from };
}

/** A state in a view; in place of one that is too large, a note. */
export function boundedState(state: JsonObject): JsonObject {
  const size = jsonSize(state);
  return size <= stateBytes ? state : { note: `the state has ${size} bytes: ask for it alone` };
}

export function isShownWhole(state: JsonObject): boolean {
  return jsonSize(state) <= stateBytes;
}

function boundedOutput(output: JsonValue): JsonValue {
  const size = jsonSize(output);
  return size <= outputBytes ? output : { note: `the output has ${size} bytes: ask for the result` };
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
