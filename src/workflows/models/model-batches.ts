import { CancellationScope, sleep } from '@temporalio/workflow';
import type { BatchedOutcome, ModelBatchInput, ModelBatchResult } from '../../contract/activities.js';
import { maxTaskBytes } from '../../contract/runs/limits.js';
import {
  nothingUsed,
  sumCallUsage,
  type CallUsage,
  type ModelCall,
} from '../../contract/models/model-call.js';
import { idempotencyKey } from '../../contract/effects/idempotency-key.js';
import { holdTerms, type EffectState, type OpenEffect, type RunContext } from '../effects/effect-kind.js';
import { remoteActivities } from '../effects/activities.js';
import { queueOfModel } from '../effects/call-queues.js';
import { addUsage, answer, askAlone, batchedInput, failed } from './ask-alone.js';

/** The longest that providers take for a batch, and time to read it; in ms. */
const timeoutMs = 25 * 3_600_000;
/** For so long a batch waits for calls that others of the run may yet come to, in ms. */
const gatherMs = 30_000;

interface AskedCall {
  context: RunContext;
  opened: OpenEffect;
  call: ModelCall;
}

/** Something that is to be sent to the server. */
export interface Part {
  bytes: number;
  begin: () => void;
}

/**
 * Model calls that are asked together. They wait until nothing else of the run is under way, or for a while; then one activity
 * asks for all that are of one model, as many as fit into a message. What a batch has no answer to is asked by itself.
 *
 * Owns: the calls that wait, what a batch has left to be asked again, and the batches under way.
 * Asks: the activity `modelBatch`. `OpenEffects` asks it for the next part whenever the run is about to wait.
 * Invariants:
 *  1. The calls of a batch are of one model. They fit into one message, unless it is a single call.
 *  2. A call whose branch was given up is not sent. A batch that nobody waits for is cancelled.
 *  3. What an answer has cost is counted, also if its branch was given up meanwhile.
 *  4. Nothing is handed over: each call is an open effect, and the next execution asks for it anew.
 */
export class ModelBatches implements EffectState {
  private waiting: AskedCall[] = [];
  /** What a batch has left to be asked again. */
  private readonly left: Part[] = [];
  private underWay: { calls: readonly AskedCall[]; scope: CancellationScope }[] = [];
  private gathering: CancellationScope | null = null;
  /** They have waited long enough. */
  private isDue = false;

  /** `gathersAnew`: each batch has a time of its own to gather, since engine 10. */
  constructor(private readonly gathersAnew: boolean) {}

  add(asked: AskedCall): void {
    this.waiting.push(asked);
  }

  /** What is waited for is open, so there is nothing to hand over. */
  handOver(): null {
    return null;
  }

  /**
   * What is to be sent now that the run waits; null: nothing.
   * @param open effects that the run waits for
   */
  next(open: number): Part | null {
    this.cancelUnwanted();
    this.waiting = this.waiting.filter(({ opened }) => opened.isOpen);
    const left = this.left.shift();
    if (left !== undefined) return left;
    const [first] = this.waiting;
    if (first === undefined) return this.endGathering();
    this.isDue ||= this.waiting.length >= open;
    if (!this.isDue) return this.gather(first.context);
    const calls = fittingCalls(this.waiting);
    this.waiting = this.waiting.filter((each) => !calls.includes(each));
    return this.partOf(calls);
  }

  private gather({ sequence }: RunContext): null {
    if (this.gathering !== null) return null;
    const scope = new CancellationScope({ cancellable: true });
    this.gathering = scope;
    const time = scope.run(() => sleep(gatherMs, { summary: 'calls of models gather for a batch' }));
    sequence.follow(
      time,
      () => {
        // Its turn may come when those that it was for have been sent.
        if (this.gathering === scope || !this.gathersAnew) this.isDue = true;
      },
      () => undefined,
    );
    return null;
  }

  private endGathering(): null {
    this.gathering?.cancel();
    this.gathering = null;
    this.isDue = false;
    return null;
  }

  private partOf(calls: readonly AskedCall[], batch?: string): Part {
    return { bytes: bytesOf(calls), begin: () => this.ask(calls, batch) };
  }

  /** @param batch of which some answers are here already */
  private ask(calls: readonly AskedCall[], batch?: string): void {
    const [first] = calls;
    if (first === undefined) return;
    const { context, opened, call } = first;
    const summary = `a batch of ${calls.length} · ${call.model ?? 'default model'}`;
    const remote = {
      timeoutMs,
      summary,
      taskQueue: queueOfModel(context, call),
      policy: call.settings.retry,
    };
    const { modelBatch, tries } = remoteActivities(opened.calls, remote);
    const input: ModelBatchInput = {
      calls: calls.map((each) => batchedInput(each.context, each.opened, each.call)),
      idempotencyKey: `${idempotencyKey(context, opened.position)}/batch`,
      ...(batch === undefined ? {} : { batch }),
      tries,
      ...holdTerms(context, opened.position),
    };
    const scope = new CancellationScope({ cancellable: true });
    const under = { calls, scope };
    this.underWay.push(under);
    const ended = (tell: () => void): void => {
      this.underWay = this.underWay.filter((each) => each !== under);
      tell();
    };
    context.sequence.follow(
      scope.run(() => modelBatch(input)),
      (result) => ended(() => this.answered(calls, result)),
      (error) => ended(() => calls.forEach((each) => each.opened.broke(error))),
    );
  }

  private answered(calls: readonly AskedCall[], { batch, outcomes }: ModelBatchResult): void {
    const unread: AskedCall[] = [];
    for (const [index, asked] of calls.entries()) {
      const outcome = outcomes[index] ?? null;
      if (!asked.opened.isOpen) {
        if (outcome !== null) countUnwanted(asked, outcome);
        continue;
      }
      if (outcome === null) unread.push(asked);
      else this.settle(asked, outcome);
    }
    if (unread.length > 0) this.left.push(this.partOf(unread, batch ?? undefined));
  }

  private settle(asked: AskedCall, outcome: BatchedOutcome): void {
    const { context, opened } = asked;
    if (outcome.ok) {
      const { result } = outcome;
      answer(context, opened, { ...result, usage: sumCallUsage(opened.spent, result.usage) });
      return;
    }
    const { code, message, isAgain, spent = null } = outcome;
    if (isAgain) this.left.push(partOfOne(asked, spent));
    else failed(context, opened, { ok: false, code, message }, spent);
  }

  /** Where nobody waits for any of its answers, a batch isn't wanted any more. */
  private cancelUnwanted(): void {
    const unwanted = this.underWay.filter(({ calls }) => calls.every(({ opened }) => !opened.isOpen));
    this.underWay = this.underWay.filter((each) => !unwanted.includes(each));
    for (const { scope } of unwanted) scope.cancel();
  }
}

/** It was paid for, though its branch is gone. */
function countUnwanted({ context, opened }: AskedCall, outcome: BatchedOutcome): void {
  const usage = outcome.ok
    ? addUsage(nothingUsed, outcome.result.usage, outcome.result.model)
    : outcome.spent === undefined || outcome.spent === null
      ? null
      : addUsage(nothingUsed, outcome.spent, '');
  if (usage !== null) context.countLate(opened.position, usage);
}

/** @param spent on it in the batch, in vain */
function partOfOne({ context, opened, call }: AskedCall, spent: CallUsage | null): Part {
  const { isBatched: _, ...settings } = call.settings;
  const alone = { ...call, settings };
  return { bytes: opened.bytes, begin: () => askAlone(context, opened, alone, spent) };
}

/** Calls of the same model as the first, as many as a message has room for. */
function fittingCalls(waiting: readonly AskedCall[]): AskedCall[] {
  const [first] = waiting;
  const fitting: AskedCall[] = [];
  let bytes = 0;
  for (const each of waiting) {
    if (kindOf(each) !== (first === undefined ? '' : kindOf(first))) continue;
    bytes += each.opened.bytes;
    if (fitting.length > 0 && bytes > maxTaskBytes) break;
    fitting.push(each);
  }
  return fitting;
}

function kindOf({ call: { model, settings } }: AskedCall): string {
  return JSON.stringify([model, settings.modelType ?? null]);
}

function bytesOf(calls: readonly AskedCall[]): number {
  return calls.reduce((sum, { opened }) => sum + opened.bytes, 0);
}

export function batchesOf({ kept }: RunContext): ModelBatches {
  return kept.get('model_call') as ModelBatches;
}
