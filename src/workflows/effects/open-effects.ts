import type { CancellationScope } from '@temporalio/workflow';
import type { Hold } from '../../contract/changes/hold.js';
import type { LocalAnswer } from '../../contract/activities.js';
import type { EffectRequest, Outcome, Position } from '../../contract/checkpoints/checkpoint.js';
import { definitionOf, type Effect, type WaitKind } from '../../contract/effects/effects.js';
import { changesOf } from '../../contract/engine.js';
import type { Wait } from '../../contract/runs/run-view.js';
import type { Turn } from '../../lua-bridge/index.js';
import { OpenEffect, type EffectTable, type RunContext } from './effect-kind.js';
import type { CallOptions } from './activities.js';
import { performerOf } from './performers.js';
import { shownWait, waitOf } from './shown-wait.js';
import { HeldEffects } from './held-effects.js';
import { LocalTasks, type LocalTask } from './local-tasks.js';
import { TaskMessage } from './task-message.js';
import { batchesOf, type Part } from '../models/model-batches.js';
import type { Sequence } from '../sequence.js';

/** What a turn of the program leaves to be done. */
type Asked = Pick<Extract<Turn, { kind: 'blocked' }>, 'cancelled' | 'asked'>;

/** The answer to an effect. */
export interface Answer {
  request: EffectRequest;
  /** That asking put into history. */
  bytes: number;
  outcome: Outcome;
  /** When it came, in ms since 1970. */
  at: number;
}

/**
 * The effects of a run that have no answer yet. Each has one life:
 *
 *     asked ─→ performed ─→ answered ─→ told
 *       │ ╲        │
 *       │  held    └──→ given up (its branch is gone), or handed over (to the next execution)
 *       └──→ given up
 *
 * Owns: the open effects, their answers until the procedure is told, and the deadlines that travel with the run.
 * Asks: the performer of each kind (`effect-kind.ts`) to begin an effect and to give it up; `HeldEffects` when it begins; `LocalWork` for its turn.
 * Invariants:
 *  1. An effect has one answer, and is told to the procedure once; what comes for it later is dropped.
 *  2. Answers are told in the order in which they were made; one that needed nothing of the outside before all else.
 *  3. What the worker does at once waits in a row for its turn, and is done so only while nothing else of the run is
 *     under way; see `LocalWork`. Else any worker does it.
 *  4. What is under way for an effect that ended before it (a timer, a model call) is cancelled, by `cancelLeftovers`
 *     alone.
 *  5. A run that is about to continue as new begins nothing that a worker would be at for long: it is held, and asked
 *     for anew by the next execution.
 *  6. A deadline is kept until its effect was told or given up: the next execution goes on with what is left of it.
 *  7. Of what is begun between two barriers, all fits into one message to the server; what doesn't waits for a barrier: see `TaskMessage`.
 *  8. A paused run begins nothing. What it holds begins in parts when the pause is over.
 *  9. A call that a hold keeps from being made stays open, spends nothing, and begins anew: see `Holding`.
 */
export class OpenEffects implements EffectTable {
  readonly sequence: Sequence;
  readonly now: () => number;
  readonly calls: CallOptions;
  readonly deadlines: Map<Position, number>;
  private readonly message = new TaskMessage();
  private readonly open = new Map<Position, OpenEffect>();
  private readonly local: LocalTasks;
  private readonly waiting: HeldEffects;
  private readonly answers: Answer[] = [];
  private readonly leftovers: CancellationScope[] = [];

  /** `deadlines`: what the execution before handed over. */
  constructor(
    private readonly context: RunContext,
    deadlines: Readonly<Record<Position, number>>,
    /** When the procedure asked for it, also in an execution before; in ms since 1970. */
    private readonly askedAt: (position: Position) => number | undefined,
  ) {
    ({ sequence: this.sequence, now: this.now } = context);
    this.calls = { limits: context.limits, settings: context.start.settings ?? {} };
    this.deadlines = new Map(Object.entries(deadlines));
    this.waiting = new HeldEffects(context.pausing, context.holding);
    this.local = new LocalTasks(changesOf(context.engine)('looks-together'));
  }

  /** Begins what a turn asks for, all of it at once; false where that is too much for one message: see `beginInParts`. */
  begin({ cancelled, asked }: Asked): boolean {
    const now = asked.filter(({ position }) => !this.context.pausing.holdsBack(position));
    const bytes = now.reduce((sum, request) => sum + this.bytesOf(request), 0);
    if (!this.message.add(bytes)) return false;
    for (const position of cancelled) this.giveUp(position);
    for (const request of asked) this.start(request);
    return true;
  }

  async beginInParts({ cancelled, asked }: Asked, barrier: () => Promise<void>): Promise<void> {
    for (const position of cancelled) this.giveUp(position);
    await barrier();
    for (const request of asked) {
      const bytes = this.bytesOf(request);
      while (!this.message.addPart(bytes)) await barrier();
      this.start(request);
    }
  }

  /** What was begun is with the server. */
  sent(): void {
    this.message.sent();
  }

  /** What was kept to be sent together with more, now that the run waits; null: nothing. */
  takePart(): Part | null {
    const free = this.waiting.takeFree();
    if (free !== undefined) return { bytes: this.bytesOf(free.request), begin: () => this.beginOrHold(free) };
    return batchesOf(this.context).next(this.open.size - this.waiting.size);
  }

  /** False where a barrier must come first. */
  send({ bytes, begin }: Part): boolean {
    if (!this.message.addPart(bytes)) return false;
    begin();
    return true;
  }

  private bytesOf({ effect, bytes }: EffectRequest): number {
    return performerOf(effect).bytes?.(this.context, effect) ?? bytes;
  }

  private start(request: EffectRequest): void {
    const definition = definitionOf(request.effect.kind);
    const since = this.askedAt(request.position) ?? this.now();
    const opened = new OpenEffect(request, since, definition, this);
    if (changesOf(this.context.engine)('conversations-by-parts')) opened.bytes = this.bytesOf(request);
    this.open.set(request.position, opened);
    this.beginOrHold(opened);
  }

  private beginOrHold(opened: OpenEffect): void {
    if (!this.waiting.take(opened)) this.perform(opened);
  }

  private perform(opened: OpenEffect): void {
    const { effect } = opened.request;
    const performer = performerOf(effect);
    const begin = performer.performLocally?.(this.context, opened, effect) ?? null;
    if (begin !== null)
      this.local.add({ opened, begin, look: performer.looksAt?.(this.context, opened, effect) ?? null });
    else this.performElsewhere(opened);
  }

  private performElsewhere(opened: OpenEffect): void {
    const { effect } = opened.request;
    opened.attempt(() => performerOf(effect).perform(this.context, opened, effect));
  }

  /** What is asked for at this position, and has no answer yet. */
  at(position: Position): Effect | undefined {
    return this.open.get(position)?.request.effect;
  }

  get hasAnswers(): boolean {
    return this.answers.length > 0;
  }

  /** An answer that the procedure is yet to be told. */
  takeAnswer(): Answer | undefined {
    const next = this.local.first;
    if (!this.hasAnswers && next !== undefined && next.done !== null) {
      this.local.take();
      this.endLocal(next, next.done);
    }
    const answer = this.answers.shift();
    if (answer === undefined) return undefined;
    const { request, outcome } = answer;
    this.deadlines.delete(request.position);
    performerOf(request.effect).told?.(this.context, request.position, request.effect, outcome);
    return answer;
  }

  /** What the worker is to do at once. Where the run waits for other things as well, it is begun elsewhere instead. */
  takeLocal(): LocalTask | undefined {
    if (this.isAlone) return this.local.take();
    for (const { opened } of this.local.takeAll()) this.performElsewhere(opened);
    return undefined;
  }

  /** The worker is about to change something outside, at once. */
  get isChangeNext(): boolean {
    const effect = this.local.first?.opened.request.effect;
    return effect !== undefined && this.isAlone && performerOf(effect).changes?.(effect) === true;
  }

  heard(): void {
    this.context.localWork.recorded();
  }

  /** Nothing of the run is under way outside, nor could be heard of but by a signal. */
  get isAlone(): boolean {
    const { children, watches, inbox } = this.context;
    const isQuiet = watches.underWay === 0 && !inbox.verifying.isUnderWay && !inbox.delivering.isUnderWay;
    return this.open.size === this.local.length && children.open.length === 0 && isQuiet;
  }

  /** The worker begins what it does at once; how it ends is told by `endLocal`. */
  beginLocal(task: LocalTask): Promise<LocalAnswer<Outcome>> {
    return this.local.begin(task);
  }

  endLocal({ opened }: LocalTask, { value, at }: LocalAnswer<Outcome>): void {
    if (!opened.isOpen) return;
    opened.giveUp();
    this.ended(opened, value, at);
  }

  /** Nobody waits for the effect at this position any longer. */
  giveUp(position: Position): void {
    const opened = this.open.get(position);
    if (opened === undefined) return;
    opened.giveUp();
    this.local.remove(opened);
    this.close(opened);
    this.deadlines.delete(position);
    performerOf(opened.request.effect).givenUp?.(this.context, position);
  }

  cancelLeftovers(): void {
    for (const scope of this.leftovers.splice(0)) scope.cancel();
  }

  /** From now on nothing begins that would keep another execution from taking over. */
  hold(): void {
    this.waiting.isLeaving = true;
    this.context.inbox.delivering.hold();
  }

  release(): void {
    this.waiting.isLeaving = false;
    for (const opened of this.waiting.takeFreed()) this.perform(opened);
    this.context.inbox.delivering.release();
  }

  pause(): void {
    // What waits in the row hasn't begun.
    for (const { opened } of this.local.takeUndone()) this.beginOrHold(opened);
  }

  unpause(movedMs: number): void {
    this.waiting.letGo();
    if (movedMs === 0) return;
    for (const [position, end] of this.deadlines) this.deadlines.set(position, end + movedMs);
    for (const opened of this.open.values()) opened.restartTime();
    this.context.inbox.postpone(movedMs);
  }

  get standsStill(): boolean {
    return this.context.pausing.standsStill;
  }

  /** What was begun, and the procedure hasn't been told of. */
  get underWay(): Position[] {
    const begun = [...this.open.values()].filter((opened) => !this.waiting.has(opened));
    return [...begun.map(({ position }) => position), ...this.answers.map(({ request }) => request.position)];
  }

  /**
   * Whether another execution can take over: no worker is at an activity of the run, or tells people of a request, and the server has started and
   * cancelled all child runs that it was asked to (it does neither for a workflow that has closed).
   */
  get canBeHandedOver(): boolean {
    const isBusy = [...this.open.values()].some(
      (opened) => opened.definition.isRemote && !this.waiting.has(opened),
    );
    const { children, inbox } = this.context;
    return !isBusy && !children.isUnsettled && !inbox.delivering.isSending;
  }

  /** What kinds of things are waited for. */
  get waitKinds(): ReadonlySet<WaitKind> {
    return new Set([...this.open.values()].map(({ request }) => waitOf(request.effect)));
  }

  get waits(): Wait[] {
    return [...this.open.values()].map((opened) => shownWait(this.context, opened, this.waiting.has(opened)));
  }

  held(opened: OpenEffect, hold: Hold): void {
    this.waiting.waitFor(hold, opened);
  }

  /** An effect has its answer; `at`: when it came, in ms since 1970. */
  ended(opened: OpenEffect, outcome: Outcome, at = this.now()): void {
    this.close(opened);
    this.answers.push({ request: opened.request, bytes: opened.bytes, outcome, at });
  }

  private close(opened: OpenEffect): void {
    this.open.delete(opened.position);
    this.waiting.drop(opened);
    if (opened.leftover !== null) this.leftovers.push(opened.leftover);
  }
}
