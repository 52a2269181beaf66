import {
  ApplicationFailure,
  type MetricCounter,
  type MetricHistogram,
  type MetricMeter,
  type MetricTags,
} from '@temporalio/common';
import type { TactusActivities } from '../../contract/activities.js';
import { isErrorCode } from '../../contract/errors.js';
import type { CallUsage, ModelCallResult } from '../../contract/models/model-call.js';

/** Each value of a label is a series that Prometheus keeps. Procedures name models as they like. */
const mostNames = 200;
const others = 'other';
const microDollars = 1_000_000;

/** Histograms of ours, all in seconds. */
export const timeMetrics = ['tactus_model_call_time', 'tactus_tool_call_time', 'tactus_mirror_lag'] as const;

/**
 * Calls of models and tools, among the metrics that the SDK's runtime exports. Each attempt counts: a call that is tried
 * again counts again.
 *
 * Owns: the names that it has seen.
 * Invariants:
 *  1. A label has `mostNames` values at most; what comes later is `other`.
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
  private readonly names = new Set<string>();

  constructor(
    meter: MetricMeter,
    private readonly tags: MetricTags,
  ) {
    const counter = (name: string, what: string, unit?: string): ReturnType<MetricMeter['createCounter']> =>
      meter.createCounter(name, unit, what);
    this.modelCalls = counter('tactus_model_calls', 'Calls of models that ended, by how');
    this.tokens = counter('tactus_model_tokens', 'Tokens as providers counted them');
    this.cost = counter('tactus_model_cost_micro_dollars', 'What answers cost, in millionths of a US dollar');
    this.modelTime = meter.createHistogram(
      ...(['tactus_model_call_time', 'float', 's', 'Time of a call of a model'] as const),
    );
    this.toolCalls = counter('tactus_tool_calls', 'Calls of tools that ended, by how');
    this.toolTime = meter.createHistogram(
      ...(['tactus_tool_call_time', 'float', 's', 'Time of a call of a tool'] as const),
    );
  }

  /** The same activities, whose calls of models and tools are counted. */
  measured(activities: TactusActivities): TactusActivities {
    return {
      ...activities,
      modelCall: (input) => this.model(input.call.model, () => activities.modelCall(input)),
      continuedModelCall: (input) => this.model(input.call.model, () => activities.continuedModelCall(input)),
      callTool: (input) => this.tool(input.invocation.source, () => activities.callTool(input)),
      followTask: (input) => this.tool(input.invocation.source, () => activities.followTask(input)),
    };
  }

  /** @param asked null: the worker's own, which only its answer names */
  private async model(asked: string | null, call: () => Promise<ModelCallResult>): Promise<ModelCallResult> {
    const nameOf = (result: ModelCallResult | null): MetricTags => ({
      model: this.bounded(result?.model ?? asked ?? 'usual'),
    });
    const result = await this.counted(call, [this.modelCalls, this.modelTime], nameOf);
    this.spend(result.usage, { ...this.tags, ...nameOf(result) });
    return result;
  }

  private tool<T>(source: string, call: () => Promise<T>): Promise<T> {
    return this.counted(call, [this.toolCalls, this.toolTime], () => ({ tool: this.bounded(source) }));
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

  private bounded(name: string): string {
    if (this.names.has(name)) return name;
    if (this.names.size >= mostNames) return others;
    this.names.add(name);
    return name;
  }
}

/** The code of an error of ours; whatever else it is, `error`. */
function outcomeOf(error: unknown): string {
  const type = error instanceof ApplicationFailure ? (error.type ?? '') : '';
  return isErrorCode(type) ? type : 'error';
}
