import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  ChildWorkflowFailure,
  createEventGroup,
  sleep,
  TemporalFailure,
  TimeoutFailure,
} from '@temporalio/workflow';
import type { EffectRequest, Outcome } from '../../contract/checkpoints/checkpoint.js';
import type { AnyDefinition } from '../../contract/effects/effects.js';
import { isErrorCode, TactusError, type ErrorCode } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json/json.js';
import type { Position } from '../../contract/checkpoints/position.js';
import type { CallOptions } from './activities.js';
import type { Follower, Sequence } from '../sequence.js';

/** What an effect needs of the table that it stands in. */
export interface EffectTable {
  readonly sequence: Sequence;
  /** How what goes over the network for it is tried. */
  readonly calls: CallOptions;
  /** When timers end, in ms since 1970, by position. */
  readonly deadlines: Map<Position, number>;
  /** In ms since 1970. */
  readonly now: () => number;
  ended(opened: OpenEffect, outcome: Outcome): void;
  /** Something that was begun for an open effect has come back from the server. */
  heard(): void;
}

/**
 * An effect from when the procedure has asked for it until it has an answer or nobody waits any longer. It has one
 * answer; what comes for it later is dropped.
 */
export class OpenEffect implements Follower {
  /** That asking puts into history. */
  bytes: number;
  private isOver = false;
  /** What was begun for it and hasn't been heard of: to be cancelled when it ends before. */
  private outstanding = 0;
  /** Made when there is something to cancel: it takes more than a step of Lua. */
  private scope: CancellationScope | null = null;
  private sinceText: string | null = null;

  constructor(
    readonly request: EffectRequest,
    /** In ms since 1970. */
    readonly since: number,
    readonly definition: AnyDefinition,
    private readonly table: EffectTable,
  ) {
    this.bytes = request.bytes;
  }

  get position(): string {
    return this.request.position;
  }

  /** ISO 8601: made once, as what is waited for is shown at every step. */
  get sinceShown(): string {
    return (this.sinceText ??= new Date(this.since).toISOString());
  }

  get calls(): CallOptions {
    return this.table.calls;
  }

  get isOpen(): boolean {
    return !this.isOver;
  }

  /** The scope of what is still under way for an effect that is over; null where there is nothing. */
  get leftover(): CancellationScope | null {
    return this.isOver && this.outstanding > 0 ? this.scope : null;
  }

  /** What the payload converter made is JSON, whatever its type says. */
  answer(value: unknown): void {
    this.end({ ok: true, value: value as JsonValue });
  }

  fail(error: unknown): void {
    this.end(failedOutcome(error, this.definition.failure));
  }

  end(outcome: Outcome): void {
    if (this.isOver) return;
    this.isOver = true;
    this.table.ended(this, outcome);
  }

  /** Nobody waits for it any longer. */
  giveUp(): void {
    this.isOver = true;
  }

  /** A promise that breaks is the effect's failure, unless `broken` does otherwise. */
  follow<T>(
    begin: () => Promise<T>,
    kept: (value: T) => void,
    broken: (error: unknown) => void = (error) => this.fail(error),
  ): void {
    this.outstanding++;
    const heard = (tell: () => void): void => {
      this.outstanding--;
      if (!this.isOpen) return;
      this.table.heard();
      this.attempt(tell);
    };
    this.scope ??= new CancellationScope({ cancellable: true });
    this.table.sequence.follow(
      this.scope.run(() => inGroup(this.request, begin)),
      (value) => heard(() => kept(value)),
      (error) => heard(() => broken(error)),
    );
  }

  timer(ms: number, summary: string, over: () => void): void {
    this.follow(() => sleep(Math.max(1, ms), { summary }), over);
  }

  /** A timer with an absolute end, so that an execution that follows doesn't start its time (ms) anew. */
  deadline(ms: number, summary: string, over: () => void): void {
    const { deadlines, now } = this.table;
    const end = deadlines.get(this.position) ?? now() + ms;
    deadlines.set(this.position, end);
    this.timer(end - now(), summary, over);
  }

  /** Does something for it now; an error of ours is its answer, any other a fault in this code. */
  attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof TactusError)) throw error;
      this.fail(error);
    }
  }
}

/** What a kind of effect keeps for a run from its start on, and hands over when the run continues as new. */
export interface EffectState {
  /** null: nothing. */
  handOver(): JsonValue | null;
}

/** Shows an effect, in Temporal's Web UI, together with the others of its step, turn or call. */
export function inGroup<T>({ group }: EffectRequest, perform: () => Promise<T>): Promise<T> {
  if (group === null) return perform();
  return createEventGroup(group.name, { id: group.position }).withScope(perform);
}

/** How an effect that failed looks in the log and to Lua: the innermost cause, with its code where it has one of ours. */
export function failedOutcome(error: unknown, fallback: ErrorCode): Outcome {
  if (error instanceof TactusError) return { ok: false, code: error.code, message: error.message };
  const cause = causeOf(error);
  if (cause instanceof ApplicationFailure) {
    const code =
      cause.type !== undefined && cause.type !== null && isErrorCode(cause.type) ? cause.type : fallback;
    return { ok: false, code, message: cause.message };
  }
  if (cause instanceof TimeoutFailure)
    return { ok: false, code: fallback, message: `no answer in time (${cause.timeoutType})` };
  return { ok: false, code: fallback, message: cause instanceof Error ? cause.message : String(cause) };
}

/**
 * The same of a call of a tool. Of one that may be done once alone nobody knows whether it was, where its end is no word of
 * ours: its worker is gone, is shutting down, or was told to leave the activity.
 */
export function toolOutcome(error: unknown, isOnce: boolean): Outcome {
  const cause = causeOf(error);
  const isKnown = cause instanceof ApplicationFailure && isErrorCode(cause.type ?? '');
  const outcome = failedOutcome(error, 'tool_failed');
  if (outcome.ok || isKnown || !isOnce) return outcome;
  return {
    ...outcome,
    code: 'outcome_unknown',
    message: `the worker that called it said no more: ${outcome.message}`,
  };
}

function causeOf(error: unknown): unknown {
  const isWrapper = error instanceof ActivityFailure || error instanceof ChildWorkflowFailure;
  return isWrapper && error.cause instanceof TemporalFailure ? causeOf(error.cause) : error;
}

/** @throws TypeError for an outcome that is no failure: a fault in this code */
export function toError(outcome: Outcome): TactusError {
  if (outcome.ok) throw new TypeError('what went well is no error');
  return new TactusError(outcome.code, outcome.message);
}
