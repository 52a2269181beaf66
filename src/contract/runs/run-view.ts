import type { ForkedFrom } from '../changes/forked-from.js';
import type { HoldView } from '../changes/hold.js';
import type { PauseView } from '../changes/pause.js';
import type { AuthorityMode } from '../authority/authority.js';
import type { ChangeRecord } from '../changes/run-change.js';
import type { BudgetView } from '../budgets/budget.js';
import type { Steering } from '../agents/steer-effect.js';
import type { Message, Usage } from '../models/model-call.js';
import type { ErrorCode, RunError } from '../errors.js';
import type { Plan } from '../sessions/plan.js';
import type { HumanRequest } from '../people/human-request.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import type { CancellingView } from './cancelling.js';
import type { PublishedAs } from '../procedures/published.js';
import type { Decisions, Marks } from './marks.js';
import type { SourceLine } from '../checkpoints/checkpoint.js';
import type { WaitKind } from '../effects/effects.js';

/** One run, as `run`, `resume`, `result` and `status --json` show it. Times are ISO 8601 in UTC. */
export interface RunView extends Marks {
  run_id: string;
  procedure: string;
  status: RunStatus;
  /** What `by` of its decisions is worth; workers before 0.7 left it out. */
  authority?: AuthorityMode;
  output: JsonValue;
  state: JsonObject;
  error: RunError | null;
  pending: HumanRequest[];
  /** Whether all requests are there, whole; workers of 0.1.0 left it out, and gave them whole. */
  pending_whole?: boolean;
  /** What an open run waits for. */
  waits: Wait[];
  /** By whom, since when and why it is paused; left out where it isn't. */
  paused?: PauseView;
  /** By which holds calls of it wait, each with how many; left out where none does. */
  held?: HoldView[];
  /** Since when it is cancelling, until when, and what is left to do; left out where it isn't. */
  cancelling?: CancellingView;
  /** Ids of the child runs that are under way, waited for or not. */
  children: string[];
  /** The version that it was started with, where its procedure is published; left out where it is not. */
  published?: PublishedAs;
  /** The run that it was forked from, and where; left out of one that is no fork. */
  forked_from?: ForkedFrom;
  /** How many have ended, in all of its passes. */
  checkpoints: number;
  /** Left out in the first pass. */
  pass?: PassView;
  usage: Usage;
  /** Of a run that has ended: how many requests people decided, in its last pass, and how many of them with yes; left out where there are none. */
  decisions?: Decisions;
  /** What the run, its procedure and its agents may use, and have; left out where nothing bounds them. */
  budgets?: BudgetView[];
  /** The plan of its session; left out where there is none, or it has more than 100 kB. */
  plan?: Plan;
  /** How it was changed, the newest last; left out where it wasn't. */
  changes?: ChangeRecord[];
  /** What was said to agents and none has heard yet, the oldest first, shortened; left out where there is nothing. */
  unheard?: Pick<Steering, 'message' | 'agent' | 'by'>[];
  /** The newest lines that fit into an answer; `shown_from` is the number of the first shown line of the run. */
  printed: string[];
  logs: { level: LogLevel; message: string; context: JsonValue }[];
  warnings: Warning[];
  shown_from: number;
  started_at: string;
  closed_at: string | null;
  /** How far it had come; workers of 0.6.0 left it out. */
  version?: RunVersion;
}

/**
 * Of a run whose log doesn't begin here: it has begun again from the top (`Procedure.continue_as_new`), or a snapshot stands for a part
 * of its log.
 */
export interface PassView {
  /** 1 for the second pass; 0 for the first. */
  number: number;
  /** How many checkpoints stand before. */
  checkpoints: number;
  /** How many lines were shown before. */
  shown: number;
  /** The execution where what stands before is read; left out where that was another run. */
  execution?: string;
}

/** One checkpoint, as `log --json` shows it. */
export interface LogEntryView {
  position: string;
  name: string;
  type: string;
  status: 'completed' | 'failed';
  request: JsonValue;
  input: JsonValue;
  result: JsonValue;
  error: string | null;
  timestamp: string;
  duration_ms: number;
  /** Of a human's answer: whether who decided is an identity (true), or a claim. */
  by_verified?: boolean;
  /** Of a human's answer: it was given before the request was open, bound to nothing that was shown. */
  early?: true;
  source: { file: string; line: number } | null;
}

/** A page of the execution log; `next` is where to go on, null at the end. */
export interface LogPage {
  procedure_id: string;
  status: RunStatus;
  authority?: AuthorityMode;
  /** How many checkpoints have ended. */
  replay_index: number;
  /** Left out in the first pass. The entries are those of this pass, and their numbers go on from those before. */
  pass?: PassView;
  state: JsonObject;
  execution_log: LogEntryView[];
  next: number | null;
}

/** A part of an open model call's conversation. */
export interface ConversationPage {
  messages: readonly Message[];
  /** Where the next part begins; null: that was the last. */
  next: number | null;
}

/** What a run that has ended answers from then on to whoever asks how it stands. */
export interface LastAnswers {
  status: RunView;
  /** The log of its last pass; null where it is too large to be kept. */
  log: LogPage | null;
}

/** How far a run had come when it told or was asked: what it says later has a higher one, in whatever worker. */
export interface RunVersion {
  /** The Temporal execution, as the server names it. */
  execution: string;
  /** When that execution began, in ms since 1970. */
  began: number;
  /** Events of its history up to its last workflow task. */
  length: number;
  /** Counts what changed within that task. */
  step: number;
}

/** As a text that sorts as versions do. */
export function versionText({ began, length, step }: Omit<RunVersion, 'execution'>): string {
  return [padded(began, 15), padded(length, 8), padded(step, 8)].join('.');
}

function padded(number: number, digits: number): string {
  return String(number).padStart(digits, '0');
}

/** What a run says of itself for a list of runs. Times are ISO 8601 in UTC. */
export interface ToldRun extends Marks {
  run_id: string;
  procedure: string;
  status: RunStatus;
  error: RunError | null;
  published?: PublishedAs;
  forked_from?: ForkedFrom;
  waits: Wait[];
  children: string[];
  checkpoints: number;
  usage: Usage;
  /** Of one that has ended; left out where people have decided on nothing. */
  decisions?: Decisions;
  started_at: string;
  closed_at: string | null;
  /** null where the run began on a version of this package that counts none. */
  version: RunVersion | null;
  /** All open requests, whole; null: those that it told before. */
  pending: HumanRequest[] | null;
}

/** A page of what a run showed; `next` is the number to go on from. Where it begins behind the asked number, what is missing was shown in passes before. */
export interface ShownPage {
  shown: Shown[];
  next: number;
  /** Left out in the first pass. */
  pass?: PassView;
}

export type LogLevel = 'debug' | 'info' | 'warning' | 'error';

/** What a procedure showed, numbered from 0 through the whole run, so that a reader sees each line once. */
export type Shown = Line | ({ kind: 'warning' } & Warning);

/** What it said itself. */
export type Line =
  { kind: 'print'; text: string } | { kind: 'log'; level: LogLevel; message: string; context: JsonValue };

/** What a run does that its author should know of, told once for a line. `message` has several lines. */
export type Warning = {
  code: ErrorCode;
  message: string;
  file: string | null;
  line: number | null;
};

export const runStatuses = [
  'running',
  'waiting_for_human',
  'waiting_for_time',
  'waiting_for_children',
  'paused',
  'cancelling',
  'completed',
  'failed',
  'cancelled',
  'terminated',
  'timed_out',
] as const;
export type RunStatus = (typeof runStatuses)[number];

const over: ReadonlySet<RunStatus> = new Set(['completed', 'failed', 'cancelled', 'terminated', 'timed_out']);

/** Whether a run that stands so has ended. */
export function isOver(status: RunStatus): boolean {
  return over.has(status);
}

/** What an open run waits for. */
export interface Wait {
  position: string;
  kind: WaitKind;
  name: string;
  /** Where it is waited for; left out by workers of before 0.7.0, and where no line asks for it. */
  source?: SourceLine;
  /** ISO 8601, UTC. */
  since: string;
  /** Ids of the runs that are waited for. */
  runs?: string[];
  /** When a procedure goes on that put itself off until then; ISO 8601, UTC. */
  resume_at?: string;
  /** It hasn't begun, as the run is paused, or as calls like it are held. */
  held?: true;
  /** The target of the hold that it waits for: `held` of the run says whose, and why. */
  hold?: string;
}

/** A run that does anything is running; else the most visible wait names its status. */
export function statusOfWaits(kinds: ReadonlySet<WaitKind>): RunStatus {
  if (kinds.size === 0 || kinds.has('activity')) return 'running';
  if (kinds.has('human')) return 'waiting_for_human';
  return kinds.has('child') ? 'waiting_for_children' : 'waiting_for_time';
}
