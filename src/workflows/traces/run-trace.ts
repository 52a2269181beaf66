import { workflowInfo } from '@temporalio/workflow';
import {
  contextAt,
  readTraceContext,
  runTraceOf,
  type RunTrace,
  type TraceContext,
} from '../../contract/traces/trace-context.js';
import type { RunKeys } from '../../contract/effects/idempotency-key.js';
import type { Position } from '../../contract/checkpoints/checkpoint.js';
import type { StartInput } from '../../contract/runs/start-input.js';

/** Where a run stands in its trace, and what tells its spans from those of others. */
export interface TracedRun extends RunTrace {
  keys: RunKeys;
  /** Whoever configured the run wants its content nowhere. */
  hidesContent?: true;
}

/**
 * What whoever started the run said of a trace; null: nothing. A run hears it from the run that has started it, and anybody
 * else puts it into the memo, which continues over continue-as-new. No command depends on it.
 */
export function givenTrace({ parent }: Pick<StartInput, 'parent'>): TraceContext | null {
  return readTraceContext(parent?.trace) ?? readTraceContext(workflowInfo().memo);
}

/** Where this run stands in its trace. */
export function tracedRun(start: Pick<StartInput, 'parent' | 'settings'>, keys: RunKeys): TracedRun {
  const hides = start.settings?.showContent === false;
  return { ...runTraceOf(keys.runId, givenTrace(start)), keys, ...(hides ? { hidesContent: true } : {}) };
}

/** The context that a child run at a position is started with. */
export function childTrace(
  start: Pick<StartInput, 'parent'>,
  keys: RunKeys,
  position: Position,
): TraceContext {
  return contextAt(tracedRun(start, keys), keys, position);
}
