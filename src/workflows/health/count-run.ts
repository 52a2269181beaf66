import { proxySinks, workflowInfo, type Sink, type Sinks } from '@temporalio/workflow';
import type { RunCounts } from '../../contract/health/run-counts.js';
import { metricsFlag } from '../../contract/names.js';
import type { RunFacts } from '../runs/views.js';

export interface MetricSinks extends Sinks {
  tactusMetrics: Sink & { count(counts: RunCounts): void };
}

const { tactusMetrics } = proxySinks<MetricSinks>();

type CountedFacts = Pick<RunFacts, 'procedure' | 'ending' | 'log' | 'ended'>;

/**
 * Tells the metrics of the worker what a run did, through a sink: no command, no event, no waiting. A replay tells nothing.
 * In workers without metrics, nothing is counted.
 */
export class RunCounter {
  private hasBegun = workflowInfo().continuedFromExecutionRunId !== undefined;
  private hasEnded = false;
  private instructions = 0;

  /** @param counted checkpoints that the execution before has handed over */
  constructor(private counted: number) {}

  /** Something may have changed. On replay, all of it was counted before. */
  skipReplayed({ ended }: CountedFacts, instructions: number): void {
    if (!(metricsFlag in globalThis) || !workflowInfo().unsafe.isReplaying) return;
    this.hasBegun = true;
    this.counted = Math.max(this.counted, ended);
    this.instructions = instructions;
  }

  /** Counts what happened since it was called last. */
  count(facts: CountedFacts, instructions: number): void {
    if (!(metricsFlag in globalThis)) return;
    const { isReplaying } = workflowInfo().unsafe;
    if (isReplaying) return this.skipReplayed(facts, instructions);
    const { procedure, ending, log } = facts;
    const checkpoints = new Map<string, RunCounts['checkpoints'][number]>();
    for (const { type, outcome } of log.slice(this.counted, facts.ended)) {
      const how = outcome.ok ? 'ok' : 'failed';
      const sum = checkpoints.get(`${type} ${how}`) ?? { type, outcome: how, count: 0 };
      checkpoints.set(`${type} ${how}`, { ...sum, count: sum.count + 1 });
    }
    const counts: RunCounts = {
      procedure,
      began: !this.hasBegun,
      ended: this.hasEnded ? null : (ending?.status ?? null),
      checkpoints: [...checkpoints.values()],
      instructions: Math.max(0, instructions - this.instructions),
    };
    this.hasBegun = true;
    this.hasEnded = ending !== null;
    this.counted = Math.max(this.counted, facts.ended);
    this.instructions = instructions;
    if (counts.began || counts.ended !== null || checkpoints.size > 0 || counts.instructions > 0)
      tactusMetrics.count(counts);
  }
}
