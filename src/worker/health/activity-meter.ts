import { Context } from '@temporalio/activity';
import {
  ApplicationFailure,
  type MetricCounter,
  type MetricHistogram,
  type MetricMeter,
  type MetricTags,
} from '@temporalio/common';
import type { TactusActivities } from '../../contract/activities.js';
import { heldType } from '../../contract/changes/hold.js';
import { isErrorCode } from '../../contract/errors.js';
import { BoundedNames } from '../../contract/health/bounded-names.js';
import type { CallUsage, ModelCallResult } from '../../contract/models/model-call.js';

const microDollars = 1_000_000;

/**
 * Calls of models and tools, among the metrics that the SDK's runtime exports. Each attempt counts: a call that is tried
 * again counts again.
 *
 * Owns: the names that it has seen.
 * Invariants:
 *  1. A label has so many values at most: see `BoundedNames`.
 *  2. No label has content: names of models and tools, codes of errors, `input` and `output`.
 *  3. Measuring changes neither a result nor an error.
 */
export class ActivityMeter {
  private readonly modelCalls;
  private readonly tokens;
  private readonly cost;
  private readonly modelTime;
  private readonly toolCalls;
  private readonly toolTime;
  private readonly retries;
  private readonly holds;
  private readonly verifications;
  private readonly names = new BoundedNames();

  constructor(
    meter: MetricMeter,
    private readonly tags: MetricTags,
    private readonly attempt: () => number = () => Context.current().info.attempt,
  ) {
    const counter = (name: string, what: string, unit?: string): ReturnType<MetricMeter['createCounter']> =>
      meter.createCounter(name, unit, what);
    this.modelCalls = counter('tactus_model_calls', 'Calls of models that ended, by how');
    this.tokens = counter('tactus_model_tokens', 'Tokens as providers counted them');
    this.cost = counter('tactus_model_cost_micro_dollars', 'What answers cost, in millionths of a US dollar');
    this.retries = counter('tactus_retries', 'Attempts of activities after the first');
    this.holds = counter('tactus_holds', 'Calls that a hold keeps waiting');
    this.verifications = counter(
      'tactus_verifications',
      'Signatures of decisions that were verified, by outcome',
    );
    this.modelTime = meter.createHistogram(
      ...(['tactus_model_call_time', 'float', 's', 'Time of a call of a model'] as const),
    );
    this.toolCalls = counter('tactus_tool_calls', 'Calls of tools that ended, by how');
    this.toolTime = meter.createHistogram(
      ...(['tactus_tool_call_time', 'float', 's', 'Time of a call of a tool'] as const),
    );
  }

  /** The same activities, whose calls of models and tools, retries and holds are counted. */
  measured(all: TactusActivities): TactusActivities {
    const activities = this.attempted(all);
    return {
      ...activities,
      verifyDecision: async (input) => {
        const verdict = await activities.verifyDecision(input);
        this.verifications.add(1, { ...this.tags, outcome: verdict.outcome });
        return verdict;
      },
      modelCall: (input) => this.model(input.call.model, () => activities.modelCall(input)),
      continuedModelCall: (input) => this.model(input.call.model, () => activities.continuedModelCall(input)),
      callTool: (input) => this.tool(input.invocation.source, () => activities.callTool(input)),
      followTask: (input) => this.tool(input.invocation.source, () => activities.followTask(input)),
    };
  }

  private attempted(activities: TactusActivities): TactusActivities {
    const entries = Object.entries(activities) as [string, (...input: unknown[]) => Promise<unknown>][];
    const counted = entries.map(([activity, perform]) => [
      activity,
      async (...input: unknown[]) => {
        const tags = { ...this.tags, activity };
        if (this.attempt() > 1) this.retries.add(1, tags);
        try {
          return await perform(...input);
        } catch (error) {
          if (outcomeOf(error) === heldType) this.holds.add(1, tags);
          throw error;
        }
      },
    ]);
    return Object.fromEntries(counted) as TactusActivities;
  }

  /** @param asked null: the worker's own, which only its answer names */
  private async model(asked: string | null, call: () => Promise<ModelCallResult>): Promise<ModelCallResult> {
    const nameOf = (result: ModelCallResult | null): MetricTags => ({
      model: this.names.bounded(result?.model ?? asked ?? 'usual'),
    });
    const result = await this.counted(call, [this.modelCalls, this.modelTime], nameOf);
    this.spend(result.usage, { ...this.tags, ...nameOf(result) });
    return result;
  }

  private tool<T>(source: string, call: () => Promise<T>): Promise<T> {
    return this.counted(call, [this.toolCalls, this.toolTime], () => ({ tool: this.names.bounded(source) }));
  }

  /** @param nameOf what was called, by what it came to; null where it failed */
  private async counted<T>(
    call: () => Promise<T>,
    [calls, time]: readonly [MetricCounter, MetricHistogram],
    nameOf: (result: T | null) => MetricTags,
  ): Promise<T> {
    const begin = performance.now();
    const count = (result: T | null, outcome: string): void => {
      const tags = { ...this.tags, ...nameOf(result), outcome };
      calls.add(1, tags);
      time.record((performance.now() - begin) / 1_000, tags);
    };
    let result;
    try {
      result = await call();
    } catch (error) {
      count(null, outcomeOf(error));
      throw error;
    }
    count(result, 'ok');
    return result;
  }

  private spend(usage: CallUsage, tags: MetricTags): void {
    this.tokens.add(usage.input_tokens, { ...tags, direction: 'input' });
    this.tokens.add(usage.output_tokens, { ...tags, direction: 'output' });
    this.cost.add(Math.round(((usage.input_usd ?? 0) + (usage.output_usd ?? 0)) * microDollars), tags);
  }
}

/** The code of an error of ours, or `held`; whatever else it is, `error`. */
function outcomeOf(error: unknown): string {
  const type = error instanceof ApplicationFailure ? (error.type ?? '') : '';
  return type === heldType || isErrorCode(type) ? type : 'error';
}
