import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { TactusError } from '../../contract/errors.js';
import type { Memo } from '../../contract/procedures/source.js';
import { readTraceContext, readTraceparent, type TraceContext } from '../../contract/traces/trace-context.js';

/**
 * What a run's memo has of the trace that it was started in: workers of any version take such a run, and all of its
 * executions have it.
 * @throws TactusError usage
 */
export function traceMemo(trace: TraceContext | undefined): Memo {
  if (trace === undefined) return {};
  const read = readTraceContext(trace);
  if (read === null || readTraceparent(trace.traceparent) === null)
    throw new TactusError(
      'usage',
      'A traceparent is 00-<trace id>-<span id>-<flags> in hexadecimal digits, as W3C Trace Context has it',
    );
  return { ...read };
}

/** The same of a run that there is, for one that goes on with it; empty where it has none, or is gone. */
export async function traceMemoOf(client: Client, runId: string): Promise<Memo> {
  try {
    const { memo } = await client.workflow.getHandle(runId).describe();
    return { ...readTraceContext(memo) };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return {};
    throw error;
  }
}
