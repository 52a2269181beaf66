import { workflowInfo } from '@temporalio/workflow';
import { changesOf } from '../../contract/engine.js';
import { jsonSize } from '../../contract/json/json.js';
import { maxInlineBytes } from '../../contract/runs/limits.js';
import { remoteHelpers } from '../effects/activities.js';
import type { Answer } from '../effects/open-effects.js';
import type { Event } from '../sequence.js';
import { nextLog, nextStart, type HandedParts } from './hand-over.js';
import { HistoryBudget, logTooLarge, ReplayBudget } from './history-budget.js';

/**
 * When an execution of a run is long enough, and whether another one can take over.
 *
 * Owns: what this execution may still put into its history, and what a replay of it takes.
 * Asks: `OpenEffects` whether a worker is at an activity, the worker whether it keeps large payloads.
 * Invariants:
 *  1. Another execution takes over only where no worker is at an activity of the run, and where it can be handed the log.
 *  2. What can't be handed over in time is tried again when as much was added once more, until history is at its end.
 */
export class Continuing {
  private readonly budget: HistoryBudget;
  /** null: an older engine doesn't look at what a replay takes. */
  private readonly replay: ReplayBudget | null;

  /** @param carried how many checkpoints this execution was handed */
  constructor(
    private readonly parts: HandedParts,
    private readonly carried: number,
  ) {
    const { limits, engine } = parts.context;
    const holds = changesOf(engine);
    this.budget = new HistoryBudget(limits);
    this.replay = holds('replay-budget')
      ? new ReplayBudget(workflowInfo().taskTimeoutMs, holds('replay-of-locals'))
      : null;
  }

  addLocal(): void {
    this.budget.addLocal();
    this.replay?.addLocal();
  }

  addBarrier(): void {
    this.budget.addBarrier();
    this.parts.effects.sent();
  }

  addAnswer({ bytes, outcome }: Answer): void {
    this.budget.addAnswer(bytes, outcome);
  }

  addEvent(event: Event): void {
    this.budget.addEvent(event);
  }

  /** An execution that added nothing would only be followed by another like it. */
  get isLong(): boolean {
    const { context, program } = this.parts;
    const isUsedUp =
      this.budget.isUsedUp ||
      context.children.places.isFull ||
      this.replay?.isUsedUp(this.instructions) === true;
    return isUsedUp && (this.budget.isWorn || program.log.entries.length > this.carried);
  }

  /** @throws TactusError payload_too_large where nothing more fits, here or there */
  async canContinue(): Promise<boolean> {
    const { context, effects, program } = this.parts;
    // What has come is measured with the log: it may be larger than all that.
    if (this.hasArrivals) return false;
    if (!effects.canBeHandedOver) {
      const isPressing = this.budget.isPressing || this.replay?.isPressing(this.instructions) === true;
      if (context.children.places.isFull || isPressing) effects.hold();
      return false;
    }
    if (this.isSmall) return true;
    if (await this.storesLargePayloads()) return !this.hasArrivals;
    if (this.budget.isAtEnd || context.passEnd !== null) throw logTooLarge(program.log.ended);
    this.budget.extend();
    this.replay?.extend();
    context.children.places.beginLate();
    effects.release();
    return false;
  }

  /** Whether another execution can be handed what there is: it is small enough, or the worker has a place for it. */
  async fitsNext(): Promise<boolean> {
    return this.isSmall || (await this.storesLargePayloads());
  }

  /** Time for each workflow task of the next execution; null: as before. */
  get nextTaskMs(): number | null {
    return this.replay?.nextTaskMs(this.parts.program.instructions) ?? null;
  }

  private get isSmall(): boolean {
    return nextLog(this.parts).length + jsonSize(nextStart(this.parts)) <= maxInlineBytes;
  }

  private async storesLargePayloads(): Promise<boolean> {
    const { storesLargePayloads } = remoteHelpers('continues as new');
    const does = await storesLargePayloads();
    this.addBarrier();
    return does;
  }

  private get hasArrivals(): boolean {
    const { sequence, engine } = this.parts.context;
    return changesOf(engine)('bounded-sends') && sequence.hasLasting;
  }

  private get instructions(): number {
    return this.parts.program.instructions;
  }
}
