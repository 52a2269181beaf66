import { CancellationScope, createEventGroup, sleep } from '@temporalio/workflow';
import type { FileInput, LocalAnswer } from '../../contract/activities.js';
import type { Hold, HoldTerms } from '../../contract/changes/hold.js';
import type { Holds } from '../../contract/engine.js';
import { TactusError } from '../../contract/errors.js';
import type { AnewPart } from '../../contract/changes/run-change.js';
import type { EffectRequest, Outcome, Position } from '../../contract/checkpoints/checkpoint.js';
import type { AnyDefinition, Effect, EffectKind, WaitKind } from '../../contract/effects/effects.js';
import type { JsonValue } from '../../contract/json/json.js';
import type { ChildDeadline } from '../../contract/time/duration.js';
import type { Wait } from '../../contract/runs/run-view.js';
import type { Cancelling } from '../../contract/runs/cancelling.js';
import type { Labels } from '../../contract/runs/labels.js';
import type { Limits } from '../../contract/runs/limits.js';
import { nameOfStart } from '../../contract/procedures/source.js';
import type { PassEnd } from '../../contract/runs/pass.js';
import type { Conversations, LocalWork, SourcedStart } from './local-work.js';
import type { CallOptions } from './activities.js';
import { failedOutcome, heldBy } from './outcomes.js';
import type { Follower, Sequence } from '../sequence.js';
import type { Changing, RetriesHere } from '../changes/changing.js';
import type { Inbox } from '../inbox.js';
import type { Holding } from '../changes/holding.js';
import type { Pausing } from '../changes/pausing.js';
import { sumCallUsage, type CallUsage, type Usage } from '../../contract/models/model-call.js';
import type { ChildWorkflows } from '../runs/child-workflows.js';
import type { Watches } from '../runs/watch.js';

/** How Temporal performs one kind of effect; what it is, its file of the same name in `contract` says. */
export interface EffectPerformer<E extends Effect> {
  /** Begins it; it is answered now, or when something had its turn. */
  perform(context: RunContext, opened: OpenEffect, effect: E): void;
  /** Performs it in the worker that has the workflow, where that is quick; else left out or null. */
  performLocally?(
    context: RunContext,
    opened: OpenEffect,
    effect: E,
  ): (() => Promise<LocalAnswer<Outcome>>) | null;
  /** The operation on a file, where it changes nothing: others may be done with it. Left out, or null: it is done alone. */
  looksAt?(context: RunContext, opened: OpenEffect, effect: E): FileInput | null;
  /** It changes something outside, whatever the effects before it have read of it. Left out: it does not. */
  changes?(effect: E): boolean;
  /** Bytes that beginning it puts into a workflow task, where they aren't those of what was asked. */
  bytes?(context: RunContext, effect: E): number | null;
  /** Nobody waits for it any longer. */
  givenUp?(context: RunContext, position: string): void;
  /** The procedure has its answer: what another execution would have to know of it is dropped. */
  told?(context: RunContext, position: string, effect: E, outcome: Outcome): void;
  /** The kind of the wait, where it isn't that of the definition. */
  wait?(effect: E): WaitKind;
  /** What the status says of the wait beside that. */
  shown?(context: RunContext, position: string, effect: E): Pick<Wait, 'runs' | 'resume_at'>;
  /**
   * Makes what the kind keeps for the run beside its open effects, of what was handed over; left out: nothing. Signals
   * that it takes it must take from now on, to have them in the order of history.
   */
  openState?(sequence: Sequence, handed: JsonValue | null, holds: Holds): EffectState;
}

type EffectOf<K extends EffectKind> = Extract<Effect, { kind: K }>;

export function performing<const K extends EffectKind>(
  kind: K,
  performer: EffectPerformer<EffectOf<K>>,
): EffectPerformer<EffectOf<K>> & { readonly kind: K } {
  return { ...performer, kind };
}

/** What one execution of a run shares with those who perform its effects. */
export interface RunContext {
  readonly engine: number;
  readonly runId: string;
  readonly firstExecutionId: string;
  /** Parts that are done anew, by keys of their own. */
  readonly anew: readonly AnewPart[];
  readonly start: SourcedStart;
  readonly limits: Limits;
  readonly sequence: Sequence;
  readonly localWork: LocalWork;
  readonly inbox: Inbox;
  readonly changing: Changing;
  readonly pausing: Pausing;
  readonly holding: Holding;
  readonly children: ChildWorkflows;
  /** When what the procedure was told last came, in ms since 1970: a replay has the same, other than `Date.now()`. */
  readonly clock: { now: number };
  readonly now: () => number;
  /** Other runs are looked at from time to time. */
  readonly watches: Watches;
  usage: Usage;
  /** Those that the run has now. */
  readonly labels: () => Labels | undefined;
  /** The procedure ends its pass; null: it doesn't. */
  passEnd: PassEnd | null;
  readonly retriesHere: RetriesHere;
  /** Compensations and deferred functions have their turn in a run that was asked to end; null: it wasn't. */
  cancelling: Cancelling | null;
  /** Counts what was used for an effect that was given up, or by a run that was cancelled. */
  countLate: (position: Position, usage: Usage) => void;
  readonly conversations: Conversations;
  /** What kinds of effects keep for the run; see `EffectPerformer`. */
  readonly kept: Map<EffectKind, EffectState>;
}

/** Whoever waits for a child run by the same deadline gives it up before it fails by itself. */
const childGraceMs = 1_000;

/** What an activity is told of holds. */
export function holdTerms({ holding, start }: RunContext, position: Position): { holds?: HoldTerms } {
  return holding.terms(position, nameOfStart(start));
}

/** What the workflow that runs a procedure is given, and gives: the start, and the packed log of the execution before. */
export type TactusWorkflow = (given: unknown, packed?: unknown) => Promise<JsonValue>;

/** What an effect needs of the table that it stands in. */
export interface EffectTable {
  readonly sequence: Sequence;
  /** How what goes over the network for it is tried. */
  readonly calls: CallOptions;
  /** When timers end, in ms since 1970, by position. */
  readonly deadlines: Map<Position, number>;
  /** Deadlines stand still: the run is paused. */
  readonly standsStill: boolean;
  /** In ms since 1970. */
  readonly now: () => number;
  ended(opened: OpenEffect, outcome: Outcome): void;
  /** A worker has found it to be held: it begins anew when it is let go. */
  held(opened: OpenEffect, hold: Hold): void;
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
  /** What was paid for it in vain before it was held; null: nothing. */
  spent: CallUsage | null = null;
  private isOver = false;
  /** What was begun for it and hasn't been heard of: to be cancelled when it ends before. */
  private outstanding = 0;
  /** Made when there is something to cancel: it takes more than a step of Lua. */
  private scope: CancellationScope | null = null;
  private sinceText: string | null = null;
  /** What begins its time anew; null: it has none. */
  private beginTime: (() => void) | null = null;

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

  /** What was begun for it has broken. A call that is held has not failed. */
  broke(error: unknown, broken: (error: unknown) => void = (failure) => this.fail(failure)): void {
    const held = heldBy(error);
    if (held === null) return broken(error);
    if (!this.isOpen) return;
    if (held.spent !== null) this.spent = sumCallUsage(this.spent, held.spent);
    this.table.held(this, held.hold);
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
  follow<T>(begin: () => Promise<T>, kept: (value: T) => void, broken?: (error: unknown) => void): void {
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
      (error) => heard(() => this.broke(error, broken)),
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
    this.beginTime = () => this.deadline(ms, summary, over);
    if (this.table.standsStill) return;
    this.timer(end - now(), summary, () => {
      // What was moved, or stands still, has a timer of its own, or will have one.
      if (deadlines.get(this.position) === end && !this.table.standsStill) over();
    });
  }

  /** When a run that it starts is to have ended, in ms since 1970, wherever a pause has moved it. */
  endOfChild(deadline: ChildDeadline | undefined): number | undefined {
    if (deadline === undefined) return undefined;
    const end = 'at' in deadline ? deadline.at : this.table.deadlines.get(deadline.timer);
    return end === undefined ? undefined : end + childGraceMs;
  }

  /** Its deadline has been moved, or goes on. */
  restartTime(): void {
    if (this.isOpen) this.beginTime?.();
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
