import {
  CancellationScope,
  condition,
  isCancellation,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { Checkpoint, Outcome } from '../contract/checkpoint.js';
import type { EffectRequest } from '../contract/effects.js';
import { TactusError } from '../contract/errors.js';
import type { JsonValue } from '../contract/json.js';
import type { Position } from '../contract/position.js';
import { procedureName } from '../contract/source.js';
import type { Carry } from '../contract/start-input.js';
import type { RunStatus, Wait } from '../contract/status.js';
import { Program } from '../lua-bridge/index.js';
import { Arrivals, type Arrival } from './arrivals.js';
import { Attributes } from './attributes.js';
import { currentDetails } from './details.js';
import type { EffectContext } from './effects/context.js';
import { localActivities } from './effects/activities.js';
import { inGroup } from './effects/in-group.js';
import { failureCodes, isLocal, isRemoteActivity, perform } from './effects/perform.js';
import { checkSize } from './guards.js';
import { HistoryBudget } from './history-budget.js';
import { Mirror } from './mirror.js';
import { packLog } from './pack.js';
import { Pauses } from './pauses.js';
import { failedOutcome } from './outcome.js';
import type { RunFacts } from './views.js';

/** A packed log that, with source and input beside it, still fits into the event that starts an execution. */
const maxPackedLogBytes = 1_200_000;

interface OpenEffect {
  request: EffectRequest;
  scope: CancellationScope;
  since: number;
  /** How many effects were asked for before. */
  order: number;
}

/** How one execution of a run ends: the procedure has ended, or the run is to continue as new. */
export type Ending =
  { kind: 'completed'; output: JsonValue } | { kind: 'continue'; log: Checkpoint[]; carry: Carry };

/**
 * One execution of a run: the program, the effects that it waits for, and what the outside is shown of it.
 * Everything it does follows from history: the order in which answers arrive there is the order in the log.
 */
export class Run {
  readonly program: Program;
  private readonly open = new Map<Position, OpenEffect>();
  /** Local activities that are yet to be started, one after the other. */
  private readonly queued: EffectRequest[] = [];
  private readonly arrivals = new Arrivals();
  private asked = 0;
  private readonly attributes = new Attributes();
  private readonly mirror: Mirror;
  private readonly carriedCount: number;
  private readonly budget: HistoryBudget;
  private readonly root = CancellationScope.current();
  private readonly pauses = new Pauses();
  private waits = false;
  private ending: RunFacts['ending'] = null;

  constructor(
    private readonly context: EffectContext,
    private readonly carry: Carry,
    carried: readonly Checkpoint[],
  ) {
    const { source, start, limits, runId } = context;
    this.mirror = new Mirror(carry.mirrored);
    this.carriedCount = carried.length;
    this.budget = new HistoryBudget(limits);
    this.program = new Program({
      source,
      input: start.input ?? {},
      runId,
      startedAt: carry.startedAt,
      seed: carry.seed,
      limits,
      carried,
    });
  }

  /** @throws TactusError what the procedure failed with; a cancellation */
  async execute(): Promise<Ending> {
    for (;;) {
      const turn = this.program.turn();
      switch (turn.kind) {
        case 'slice':
          this.context.inbox.listen();
          await this.pauses.afterSlice();
          this.budget.addPause();
          continue;
        case 'failed':
          throw turn.error;
        case 'completed':
          this.close('completed', turn.output, null);
          return turn;
        case 'blocked':
          for (const position of turn.cancelled) this.giveUp(position);
          for (const request of turn.asked) this.start(request);
      }
      this.show();
      this.context.inbox.listen();
      if (await this.shouldContinue()) return this.continueAsNew();
      this.waits = true;
      const answer = await this.nextAnswer();
      await this.pauses.afterAnswer(answer.at, isLocal(answer.effect));
      this.give(answer);
      this.waits = false;
    }
  }

  /** The procedure waits, and goes on as soon as the events at hand have been looked at. */
  get hasNews(): boolean {
    return this.waits && (!this.arrivals.isEmpty || this.context.inbox.hasAnswers);
  }

  /** Something changed that people may see. */
  show(): void {
    const facts = this.facts();
    setCurrentDetails(currentDetails(facts));
    if (this.context.start.searchAttributes === true) this.attributes.update(facts);
    this.mirror.update(facts);
  }

  close(status: RunStatus, output: JsonValue, error: TactusError | null): void {
    this.ending = { status, output, error: error?.toRunError() ?? null, at: Date.now() };
    this.context.inbox.listen();
    this.show();
  }

  facts(): RunFacts {
    const { runId, source, usage, inbox } = this.context;
    return {
      runId,
      procedure: procedureName(source),
      ending: this.ending,
      pending: this.ending === null ? inbox.ledger.open : [],
      waits: this.ending === null ? [...this.open.values()].map(toWait) : [],
      log: this.program.log.entries,
      ended: this.program.log.ended,
      usage,
      shown: this.program.shown,
      state: () => this.program.state(),
      startedAt: this.carry.startedAt,
    };
  }

  /** Cancels what is still open: child runs don't end with us by themselves. */
  async abandon(): Promise<void> {
    for (const { scope } of this.open.values()) scope.cancel();
    await Promise.all(
      [...this.context.children.running].map((position) => this.context.children.cancel(position)),
    );
  }

  private start(request: EffectRequest): void {
    const scope = new CancellationScope({ cancellable: true });
    this.open.set(request.position, { request, scope, since: Date.now(), order: this.asked++ });
    if (isLocal(request.effect)) this.queued.push(request);
    else
      void this.perform(request).then((arrival) => {
        if (arrival !== null) this.arrivals.add(arrival);
      });
  }

  /** What the procedure goes on with: first what its worker does at once, then what has arrived from elsewhere. */
  private async nextAnswer(): Promise<Arrival> {
    for (;;) {
      const local = this.queued.shift();
      if (local === undefined) await condition(() => !this.arrivals.isEmpty);
      const next = local === undefined ? this.arrivals.take() : await this.perform(local);
      if (next !== undefined && next !== null) return next;
    }
  }

  private give({ position, effect, outcome, at, suggested }: Arrival): void {
    this.budget.add(effect, outcome, suggested);
    this.program.settle(position, outcome, at);
  }

  /** Performs an effect and gives how it ended; null where nobody waits for it any longer. */
  private async perform(request: EffectRequest): Promise<Arrival | null> {
    const { position, effect } = request;
    const { scope, order } = this.open.get(position) as OpenEffect;
    const arrived = (outcome: Outcome, at: number): Arrival => {
      const suggested = workflowInfo().continueAsNewSuggested;
      return { position, effect, outcome, at, order, suggested };
    };
    try {
      checkSize(request, this.context.limits);
      const { value, at } = await scope.run(() => inGroup(request, () => perform(this.context, request)));
      return arrived({ ok: true, value }, at);
    } catch (error) {
      // Given up by us, or the whole run is cancelled: nobody waits for it. What someone else cancelled has failed.
      if (isCancellation(error) && (scope.consideredCancelled || this.root.consideredCancelled)) {
        if (isLocal(effect)) throw error;
        return null;
      }
      // A failed local activity doesn't tell when it ended: the procedure's clock stays.
      return arrived(failedOutcome(error, failureCodes[effect.kind]), isLocal(effect) ? 0 : Date.now());
    } finally {
      this.open.delete(position);
      if (effect.kind === 'human') this.context.inbox.recorded(`${this.context.runId}/${position}`);
    }
  }

  private giveUp(position: Position): void {
    this.arrivals.drop(position);
    const queued = this.queued.findIndex((request) => request.position === position);
    if (queued >= 0) this.queued.splice(queued, 1);
    const effect = this.open.get(position);
    if (effect === undefined) return;
    this.open.delete(position);
    effect.scope.cancel();
    if (effect.request.effect.kind === 'human')
      this.context.inbox.cancel(`${this.context.runId}/${position}`);
    if (effect.request.effect.kind === 'procedure') void this.context.children.cancel(position);
    this.context.deadlines.delete(position);
  }

  private async shouldContinue(): Promise<boolean> {
    const { entries } = this.program.log;
    // An execution that added nothing would only be followed by another like it.
    if (!this.budget.isUsedUp || entries.length === this.carriedCount) return false;
    if (packLog(entries).length <= maxPackedLogBytes) return true;
    if (await localActivities().storesLargePayloads()) return true;
    if (this.budget.isAtEnd)
      throw new TactusError(
        'payload_too_large',
        `the log of ${this.program.log.ended} checkpoints is too large to go on with in a new execution, and the ` +
          'worker has no payload store to keep it in',
      );
    this.budget.extend();
    return false;
  }

  /** Lets activities in flight end, and hands everything else to the next execution. */
  private async continueAsNew(): Promise<Ending> {
    await condition(() => ![...this.open.values()].some(({ request }) => isRemoteActivity(request.effect)));
    for (let next = this.arrivals.take(); next !== undefined; next = this.arrivals.take()) this.give(next);
    const { context, carry } = this;
    return {
      kind: 'continue',
      log: this.program.drain(),
      carry: {
        ...carry,
        ledger: context.inbox.ledger,
        usage: context.usage,
        deadlines: Object.fromEntries(context.deadlines),
        children: [...context.children.running],
        childOutcomes: context.children.outcomes,
        mirrored: this.mirror.told,
      },
    };
  }
}

function toWait({ request, since }: OpenEffect): Wait {
  const { effect, position, name } = request;
  const kinds = {
    human: 'human',
    sleep: 'time',
    procedure: 'child',
    model_call: 'activity',
    predict: 'activity',
    file: 'activity',
  } as const;
  return { position, kind: kinds[effect.kind], name, since: new Date(since).toISOString() };
}
