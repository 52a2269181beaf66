import { condition, patched, workflowInfo } from '@temporalio/workflow';
import { localActivities, remoteBreather } from '../effects/activities.js';
import { isLocal } from './effects/perform.js';
import type { EffectRequest, Outcome, Position } from '../../contract/checkpoints/checkpoint.js';
import { jsonSize } from '../../contract/json/json.js';
import type { Limits } from '../../contract/runs/limits.js';

/** A workflow task is given up after 10 s; so many slices take 2 s, and on a busy machine some more. */
const slicesOfTask = 8;

/** Runs of 0.1.0 went on at once. */
const pauseAfterFailure = 'pause-after-failed-local-activity';

/**
 * Pauses of a run that is busy with itself: a thread that is kept for 5 s is killed, a workflow task that lasts longer
 * than its timeout is taken for lost, and queries are answered only between two of them.
 */
export class Pauses {
  private slices = 0;
  /** When the last event came that the run was given, in ms since 1970. */
  private since = Date.now();
  /** When the first of a row of local activities began, in ms since 1970 by the worker's clock. */
  private rowSince: number | null = null;

  /** Between two slices of a computation. */
  async afterSlice(): Promise<void> {
    if (++this.slices % slicesOfTask === 0) await this.endTask('a long computation goes on');
    else await localActivities.breathe();
  }

  /** Whether the workflow task has lasted for a quarter of its timeout, as far as anybody knows. */
  isDueAfter({ request, outcome, at, since }: Arrival): boolean {
    if (!isLocal(request.effect)) {
      this.since = Math.max(this.since, at);
      this.rowSince = null;
      return false;
    }
    // It doesn't tell how long it was tried.
    if (!outcome.ok) return patched(pauseAfterFailure);
    if (since === null) return true;
    if (since !== undefined) this.rowSince ??= since;
    // By the clock of the worker alone, where it tells: it may differ from the server's.
    return at - (this.rowSince ?? this.since) > workflowInfo().taskTimeoutMs / 4;
  }

  /** By an activity, which is there and back in some 20 ms; the server's timers take a second. */
  async endTask(summary: string): Promise<void> {
    // What came together with the last answer has had its say before: a replay may see it before that answer.
    for (let i = 0; i < 2; i++) await drained();
    await remoteBreather(summary).breathe();
    this.since = Date.now();
    this.rowSince = null;
  }
}

/** Waits until everything that the events at hand lead to has been done. */
function drained(): Promise<void> {
  let isLater = false;
  void Promise.resolve().then(() => (isLater = true));
  return condition(() => isLater);
}

/** The answer to an effect, which the procedure hasn't been given. */
export interface Arrival {
  request: EffectRequest;
  outcome: Outcome;
  /** When it came, in ms since 1970. */
  at: number;
  /** How many effects the run had asked for before this one. */
  order: number;
  /** The server suggested to continue as new when it came. */
  suggested: boolean;
  /** When the worker was asked, where it answered by a local activity: see there. */
  since?: number | null;
}

/**
 * Answers that wait for the procedure. They are given to it in the order in which it asked, not in that of their
 * arrival: which of two answers to one workflow task comes first, a replay may see otherwise than the first time.
 */
export class Arrivals {
  private waiting: Arrival[] = [];

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  add(arrival: Arrival): void {
    this.waiting.push(arrival);
  }

  take(): Arrival | undefined {
    const [first, ...others] = this.waiting;
    if (first === undefined) return undefined;
    const next = others.reduce((best, arrival) => (arrival.order < best.order ? arrival : best), first);
    this.drop(next.request.position);
    return next;
  }

  drop(position: Position): void {
    this.waiting = this.waiting.filter(({ request }) => request.position !== position);
  }
}

/** The server terminates an execution at 51,200 events, without a word; a failed run says what happened. */
const lastEvents = 48_000;
/** It does the same at 50 MiB. */
const lastBytes = 40_000_000;

/** Most events that one effect takes, with the workflow task that its answer brings. */
const eventsOf = {
  model_call: 6,
  predict: 6,
  http: 6,
  file: 6,
  human: 8,
  sleep: 5,
  procedure: 9,
  spawn: 9,
  children: 9,
  cancel_child: 5,
  defer: 5,
} as const;
/** A marker. */
const eventsOfLocal = 1;
const eventsOfPause = 6;

/**
 * How much a run has put into the history of this execution. It is counted by what was performed: a replay resolves
 * local activities at an earlier workflow task than the first time, so the history's length is another one there,
 * and a run must continue as new at the same place.
 */
export class HistoryBudget {
  private events = 0;
  private bytes = 0;
  private suggested = false;
  private isExtended = false;
  /** Where it is used up; an extension moves both on. */
  private lastEvent: number;
  private lastByte: number;

  constructor(private readonly limits: Limits) {
    this.lastEvent = limits.historyEvents;
    this.lastByte = limits.historyBytes;
  }

  /** The procedure is given an answer; `suggested`: when it came, the server suggested to continue as new. */
  add({ effect, bytes }: EffectRequest, outcome: Outcome, suggested: boolean): void {
    const local = isLocal(effect);
    this.events += local ? eventsOfLocal : eventsOf[effect.kind as keyof typeof eventsOf];
    this.bytes += jsonSize(outcome) + (local ? 0 : bytes);
    // Signals that we don't count make the server suggest it. A local activity ends at no event: a replay may see
    // what the server suggests at another moment.
    if (!local && !this.isExtended) this.suggested ||= suggested;
  }

  /** A long computation has paused. */
  addPause(): void {
    this.events += eventsOfPause;
  }

  get isUsedUp(): boolean {
    return this.suggested || this.events > this.lastEvent || this.bytes > this.lastByte;
  }

  /** The run can't continue as new for now: it goes on here, and looks again when as much was added once more. */
  extend(): void {
    this.isExtended = true;
    this.suggested = false;
    this.lastEvent = this.events + this.limits.historyEvents;
    this.lastByte = this.bytes + this.limits.historyBytes;
  }

  /** Nothing more must be done in this execution. */
  get isAtEnd(): boolean {
    return this.events > lastEvents || this.bytes > lastBytes;
  }
}
