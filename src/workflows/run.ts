import {
  CancellationScope,
  condition,
  isCancellation,
  setCurrentDetails,
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
import { Attributes } from './attributes.js';
import { currentDetails } from './details.js';
import type { EffectContext } from './effects/context.js';
import { failureCodes, isActivity, perform } from './effects/perform.js';
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
  private readonly attributes = new Attributes();
  private readonly mirror: Mirror;
  private readonly carriedCount: number;
  private readonly budget: HistoryBudget;
  private readonly root = CancellationScope.current();
  /** The log has outgrown what one execution can hand to the next; null: not looked at yet. */
  private cannotCarry: boolean | null = null;
  private readonly pauses: Pauses;
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
    this.pauses = new Pauses(context.localQueue);
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
          await this.pauses.next();
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
      if (this.shouldContinue()) return this.continueAsNew();
      this.waits = true;
      await condition(() => this.program.hasAnswers);
      this.waits = false;
    }
  }

  /** The procedure waits, and goes on as soon as the events at hand have been looked at. */
  get hasNews(): boolean {
    return this.waits && (this.program.hasAnswers || this.context.inbox.hasAnswers);
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
      state: this.program.state(),
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
    this.open.set(request.position, { request, scope, since: Date.now() });
    void this.perform(request, scope);
  }

  /** Performs an effect and tells the program how it ended. Never rejects. */
  private async perform(request: EffectRequest, scope: CancellationScope): Promise<void> {
    const { position, effect } = request;
    try {
      checkSize(request, this.context.limits);
      const value = await scope.run(() => perform(this.context, request));
      this.settle(request, { ok: true, value });
    } catch (error) {
      // Given up by us, or the whole run is cancelled: nobody waits for it. What someone else cancelled has failed.
      if (isCancellation(error) && (scope.consideredCancelled || this.root.consideredCancelled)) return;
      this.settle(request, failedOutcome(error, failureCodes[effect.kind]));
    } finally {
      this.open.delete(position);
      if (effect.kind === 'human') this.context.inbox.recorded(`${this.context.runId}/${position}`);
    }
  }

  private settle({ position, effect }: EffectRequest, outcome: Outcome): void {
    this.budget.add(effect, outcome as unknown as JsonValue);
    this.program.settle(position, outcome, Date.now());
  }

  private giveUp(position: Position): void {
    const effect = this.open.get(position);
    if (effect === undefined) return;
    effect.scope.cancel();
    if (effect.request.effect.kind === 'human')
      this.context.inbox.cancel(`${this.context.runId}/${position}`);
    if (effect.request.effect.kind === 'procedure') void this.context.children.cancel(position);
    this.context.deadlines.delete(position);
  }

  private shouldContinue(): boolean {
    // An execution that added nothing would only be followed by another like it.
    if (!this.budget.isUsedUp || this.program.log.entries.length === this.carriedCount) return false;
    this.cannotCarry ??= packLog(this.program.log.entries).length > maxPackedLogBytes;
    if (this.cannotCarry && this.budget.isAtEnd)
      throw new TactusError(
        'payload_too_large',
        `the log of ${this.program.log.ended} checkpoints is too large to go on with in a new execution`,
      );
    return !this.cannotCarry;
  }

  /** Lets activities in flight end, and hands everything else to the next execution. */
  private async continueAsNew(): Promise<Ending> {
    await condition(() => ![...this.open.values()].some(({ request }) => isActivity(request.effect.kind)));
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
