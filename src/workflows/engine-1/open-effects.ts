import { CancellationScope, condition, isCancellation, workflowInfo } from '@temporalio/workflow';
import type { LocalAnswer } from '../../contract/activities.js';
import type { ChildRuns, RunLook } from '../../contract/runs/child-run.js';
import type { EffectRequest, Outcome, Position } from '../../contract/checkpoints/checkpoint.js';
import { definitionOf } from '../../contract/effects/effects.js';
import { TactusError } from '../../contract/errors.js';
import { defined, jsonAs, jsonSize, type JsonValue } from '../../contract/json/json.js';
import type { Wait } from '../../contract/runs/run-view.js';
import { Arrivals, type Arrival } from './pauses.js';
import { readChildren, type EffectContext } from './effects/children.js';
import { failedOutcome } from '../effects/outcomes.js';
import { inGroup } from '../effects/effect-kind.js';
import { isLocal, isRemoteActivity, perform, performLocally } from './effects/perform.js';

interface OpenEffect {
  request: EffectRequest;
  /** null for a local activity: once it has started, the run waits for it before it could give it up. */
  scope: CancellationScope | null;
  since: number;
  /** How many effects were asked for before. */
  order: number;
}

/** The effects that a run waits for, and their answers in an order that a replay sees as well. */
export class OpenEffects {
  private readonly open = new Map<Position, OpenEffect>();
  /** Local activities that are yet to be started, one after the other. */
  private readonly queued: OpenEffect[] = [];
  /** Child runs that effects are about, until the procedure has their answers. */
  private readonly awaited = new Map<Position, readonly string[]>();
  private readonly arrivals = new Arrivals();
  private readonly root = CancellationScope.current();
  private asked = 0;

  constructor(private readonly context: EffectContext) {}

  start(request: EffectRequest): void {
    const local = isLocal(request.effect);
    const scope = local ? null : new CancellationScope({ cancellable: true });
    const opened = { request, scope, since: Date.now(), order: this.asked++ };
    this.open.set(request.position, opened);
    if (request.effect.kind === 'children') this.awaited.set(request.position, request.effect.ids);
    if (scope === null) this.queued.push(opened);
    else void this.perform(opened, scope);
  }

  /**
   * What the procedure goes on with: first what its worker does at once, then what has arrived from elsewhere. Made of
   * few promises, here and below: the SDK keeps a stack trace of each, which costs more than a step of Lua.
   * @throws CancelledFailure where the whole run is cancelled
   */
  next(): Promise<Arrival> {
    const local = this.queued.shift();
    if (local !== undefined) {
      this.context.gate.close();
      return this.performLocally(local);
    }
    return condition(() => this.hasArrived).then(() => this.takeArrived() as Arrival);
  }

  get hasArrived(): boolean {
    return !this.arrivals.isEmpty;
  }

  /** The next of the answers that are there; undefined where there is none. */
  takeArrived(): Arrival | undefined {
    const arrival = this.arrivals.take();
    if (arrival === undefined) return undefined;
    this.forget(arrival.request);
    return { ...arrival, outcome: this.asTold(arrival) };
  }

  /** How child runs stand is read when the procedure is told, and what it was told of an end needn't be kept for others. */
  private asTold({ request: { effect }, outcome }: Arrival): Outcome {
    if (effect.kind !== 'children' || !outcome.ok) return outcome;
    const { children, limits } = this.context;
    const told = readChildren(this.context, effect, jsonAs<RunLook[]>(outcome.value));
    const bytes = jsonSize(told);
    if (bytes > limits.payloadBytes) return failedOutcome(tooLarge(told, bytes), 'payload_too_large');
    const others = new Set([...this.awaited.values()].flat());
    for (const { id, terminal } of told.children) if (terminal && !others.has(id)) children.forgetRun(id);
    return succeeded(told);
  }

  /** What another execution would have to know of an effect is dropped once the procedure has its answer, not before. */
  private forget({ position, effect }: EffectRequest): void {
    const { inbox, children, deadlines, runId } = this.context;
    deadlines.delete(position);
    this.awaited.delete(position);
    if (effect.kind === 'procedure') children.forget(position);
    if (effect.kind === 'human') inbox.recorded(`${runId}/${position}`);
  }

  /**
   * Waits until another execution can take over: no worker is at an activity of the run, and every child run has begun
   * (the server starts none for a workflow that has closed).
   */
  async canBeHandedOver(): Promise<void> {
    await condition(
      () =>
        !this.context.children.isStarting &&
        ![...this.open.values()].some(({ request }) => isRemoteActivity(request.effect)),
    );
  }

  get waits(): Wait[] {
    return [...this.open.values()].map((opened) => toWait(this.context.runId, opened));
  }

  /** Nobody waits for the effect at this position any longer. */
  giveUp(position: Position): void {
    this.arrivals.drop(position);
    this.awaited.delete(position);
    const opened = this.open.get(position);
    if (opened === undefined) return;
    this.open.delete(position);
    if (this.queued.includes(opened)) this.queued.splice(this.queued.indexOf(opened), 1);
    opened.scope?.cancel();
    const { inbox, children, deadlines, runId } = this.context;
    const { kind } = opened.request.effect;
    if (kind === 'human') inbox.cancel(`${runId}/${position}`);
    if (kind === 'procedure' || kind === 'spawn') void children.cancel(position);
    deadlines.delete(position);
  }

  /** Cancels what is open: child runs don't end with us by themselves. */
  async abandon(): Promise<void> {
    const { children } = this.context;
    for (const { scope } of this.open.values()) scope?.cancel();
    await children.cancelAll();
  }

  /** Performs an effect and keeps how it ended. Never rejects. */
  private async perform(opened: OpenEffect, scope: CancellationScope): Promise<void> {
    const { position, effect } = opened.request;
    try {
      const value = await scope.run(() =>
        inGroup(opened.request, () => perform(this.context, opened.request)),
      );
      this.arrivals.add(arrivalOf(opened, succeeded(value), Date.now()));
    } catch (error) {
      // Given up by us, or the whole run is cancelled: nobody waits for it. What someone else cancelled has failed.
      if (isCancellation(error) && (scope.consideredCancelled || this.root.consideredCancelled)) return;
      const outcome = failedOutcome(error, definitionOf(effect.kind).failure);
      this.arrivals.add(arrivalOf(opened, outcome, Date.now()));
    } finally {
      this.open.delete(position);
    }
  }

  private performLocally(opened: OpenEffect): Promise<Arrival> {
    const { request } = opened;
    const ended = (outcome: Outcome, { at, since }: Pick<LocalAnswer<unknown>, 'at' | 'since'>): Arrival => {
      this.open.delete(request.position);
      return { ...arrivalOf(opened, outcome, at), ...defined({ since }) };
    };
    const failed = (error: unknown): Arrival => {
      if (isCancellation(error) && this.root.consideredCancelled) throw error;
      // A local activity that failed doesn't tell when: the procedure's clock stays.
      return ended(failedOutcome(error, definitionOf(request.effect.kind).failure), { at: 0 });
    };
    return inGroup(request, () => performLocally(this.context, request)).then(
      (answer) => ended(succeeded(answer.value), answer),
      failed,
    );
  }
}

/** Answers come as JSON: whatever their type, the payload converter made it. */
function succeeded(value: unknown): Outcome {
  return { ok: true, value: value as JsonValue };
}

function arrivalOf({ request, order }: OpenEffect, outcome: Outcome, at: number): Arrival {
  return { request, outcome, at, order, suggested: workflowInfo().continueAsNewSuggested };
}

function tooLarge({ children }: ChildRuns, bytes: number): TactusError {
  const ended = children.filter(({ terminal }) => terminal);
  const message = `the outputs of ${ended.length} child runs have ${bytes} bytes together: wait for them one by one`;
  return new TactusError('payload_too_large', message);
}

function toWait(runId: string, { request, since }: OpenEffect): Wait {
  const { effect, position, name } = request;
  const wait = { position, kind: definitionOf(effect.kind).wait, name, since: new Date(since).toISOString() };
  if (effect.kind === 'procedure') return { ...wait, runs: [`${runId}/${position}`] };
  if (effect.kind === 'defer') return { ...wait, resume_at: effect.resumeAt };
  if (effect.kind !== 'children') return wait;
  // Who only looks goes on at once.
  return { ...wait, kind: effect.until === 'now' ? 'activity' : 'child', runs: effect.ids };
}
