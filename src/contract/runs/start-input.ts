import type { ChangeRecord } from '../changes/run-change.js';
import type { CallCeiling } from '../budgets/budget.js';
import type { Outcome, Position } from '../checkpoints/checkpoint.js';
import type { CarriedPause, StartPause } from '../changes/pause.js';
import type { JsonValue } from '../json/json.js';
import type { Labels } from './labels.js';
import { defaultLimits, type Limits } from './limits.js';
import { emptyLedger, type ClosedRequest, type EarlyDecision, type Ledger } from '../people/ledger.js';
import type { HumanRequest } from '../people/human-request.js';
import type { MockPlan } from '../mocks/mock-plan.js';
import type { Pass } from './pass.js';
import type { RunSettings } from './run-settings.js';
import type { Drift, ScenarioStep } from '../specifications/scenario.js';
import type { PublishedAs } from '../procedures/published.js';
import type { Memo, ProcedureSource } from '../procedures/source.js';
import type { TraceContext } from '../traces/trace-context.js';
import { nothingUsed, type Usage, type Spent } from '../models/model-call.js';

/**
 * The one argument of the workflow. Whoever starts a run gives `procedure` (a name that is published, or that the worker's folder has) or
 * `source`, and `input`; everything else is optional, or the run's own when it continues as new.
 */
export interface StartInput {
  procedure?: string;
  source?: ProcedureSource;
  /** The version that the source is of a published procedure. */
  published?: PublishedAs;
  input?: JsonValue;
  /** The task of the procedure's file to run; left out: what the file runs by itself. */
  task?: string;
  /** What a model has written, a file among those of the source: it runs in place of the procedure, over the tools of this agent. */
  code?: { agent: string; file: string };
  /**
   * Where the procedure's file lies for the worker, relative to its directory of files: `tactus.io` reads and writes
   * there. Left out: in that directory.
   */
  folder?: string;
  /** Id of the message that begins a turn of a thread: the thread takes it in once. */
  messageId?: string;
  /** Other limits than the defaults; they stay with the run. */
  limits?: Partial<Limits>;
  /** What the configuration of whoever starts it says. */
  settings?: RunSettings;
  /** The namespace has our search attributes: the run sets them. `'labels'`: that of labels, too. */
  searchAttributes?: KnownAttributes;
  /** By which it is found; its child runs have them, too. */
  labels?: Labels;
  /** Answers that the run gives itself, for tests. */
  mock?: MockPlan;
  /** The scenario of a Specification that the run is for. */
  scenario?: ScenarioStep[];
  /** Chance and time outside of checkpoints are other ones, for tests. */
  drift?: Drift;
  /** The run begins paused: it comes as far as what it asks for first, and is to be looked at. */
  paused?: StartPause;
  /** The run that waits for this one, and where. */
  parent?: ParentRun;
  /** What a run hands to itself. The log travels beside it, packed. */
  carry?: Carry;
}

/** Which of our search attributes a namespace has: `true` in one that was set up before there were labels. */
export type KnownAttributes = boolean | 'labels';

export interface ParentRun {
  runId: string;
  position: string;
  /**
   * Of calls of models that count towards the ceiling of the run that was started first: those before this run, and who has given no
   * more; left out before engine 10.
   */
  calls?: Pick<CallCeiling, 'used' | 'refusal'>;
  /** When this run is to have ended, in ms since 1970; left out: as late as it likes. */
  deadline?: number;
  /** Where it hangs in the trace of the run that waits for it; left out by older versions. */
  trace?: TraceContext;
}

/** What outlives continue-as-new, beside the log. Times are ms since 1970. */
export interface Carry {
  /** What the execution before ran on; left out by engine 1. The next goes on with it, or with a newer one, or with 2 after 1. */
  engine?: number;
  /** The run was asked to end just when it continued as new. */
  cancelled?: true;
  startedAt: number;
  seed: string;
  ledger: Ledger;
  usage: Usage;
  /** When open timers fire, by position. */
  deadlines: Record<string, number>;
  /** Child runs that are under way, by position. */
  children: string[];
  /** Those that were cancelled, and haven't told what they used; left out where there are none. */
  cancelledChildren?: string[];
  /**
   * Since when runs are watched that don't report to this one, and when they are looked at next, by what waits for them;
   * left out where there are none, and before engine 10.
   */
  watches?: Record<string, { since: number; next: number }>;
  /** What was used that the procedure's budgets haven't counted; left out where there is nothing. */
  spent?: Spent[];
  /** How child runs ended that the procedure hasn't heard of yet, by position. */
  childOutcomes: Record<string, Outcome>;
  /** First execution of the run: part of its idempotency keys. */
  firstExecutionId: string;
  /** Checkpoints that the mirror has been given. */
  mirrored: number;
  /** What kinds of effects keep beside their open effects, by kind; left out by engine 1. */
  kept?: Record<string, JsonValue>;
  /** Left out in the first pass. */
  pass?: Pass;
  /** The execution where the part of the log is read that snapshots stand for; left out where there is none. */
  earlier?: string;
  /** How the run was changed, the newest last; left out where it wasn't. */
  changes?: ChangeRecord[];
  /** Left out where the run isn't paused. */
  pause?: CarriedPause;
  /** When the run had ended that this one goes on with: no time passes until it begins. Left out: it hadn't, or it has begun. */
  endedAt?: number;
}

/** What an execution hands over of its children. */
export type CarriedChildren = Pick<Carry, 'children' | 'childOutcomes' | 'cancelledChildren'>;

/** What the next turn of a thread is started with. */
export interface TurnStart {
  runId: string;
  start: StartInput & { carry: Carry };
  /** What the run's page says of it. */
  summary: string;
  memo: Memo;
  /** Time that the turn may take; left out: no limit. */
  timeout?: string;
}

/** What a run hands to itself before it has done anything. */
export function newCarry(runId: string, firstExecutionId: string, startedAt: number): Carry {
  return {
    startedAt,
    seed: `${runId}/${firstExecutionId}`,
    ledger: emptyLedger(runId),
    usage: nothingUsed,
    deadlines: {},
    children: [],
    childOutcomes: {},
    firstExecutionId,
    mirrored: 0,
  };
}

/** The defaults with a run's own limits over them; anything but a positive number is left out. */
export function limitsOf(start: StartInput): Limits {
  const own = Object.entries(start.limits ?? {}).filter(
    ([name, value]) => Object.hasOwn(defaultLimits, name) && Number(value) > 0,
  );
  return { ...defaultLimits, ...Object.fromEntries(own) };
}

/**
 * What a run began with: enough to run its procedure again by its log. `start` has the source, also where the run was
 * started by a name; times are ms since 1970.
 */
export interface RunStarted {
  start: Omit<StartInput, 'carry'>;
  engine: number;
  startedAt: number;
  seed: string;
  /** Left out in the first pass: `start` has the input of this one. */
  pass?: Pass;
}

/** What people have done for a run, and sent to it, and no checkpoint has: another run that goes on with its log is handed it. */
export interface HandedWork {
  /** Open requests, with their times, votes, and who was asked besides. */
  requests: HumanRequest[];
  /** Requests whose answer no checkpoint has yet. */
  answered: ClosedRequest[];
  early: EarlyDecision[];
  /** What kinds of effects keep: events that nobody has waited for, and what no agent has heard. */
  kept: Record<string, JsonValue>;
  /** When open timers fire, in ms since 1970, by position. */
  deadlines: Record<Position, number>;
  /** Since when the run waits, in ms since 1970, by position. */
  since: Record<Position, number>;
}

/** Kinds of effects that keep what people have sent. */
export const sentKinds = ['event', 'steer'] as const;
