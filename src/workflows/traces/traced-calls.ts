import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { workflowInfo, type WorkflowInterceptors } from '@temporalio/workflow';
import { contextAt, runTraceOf, type TraceContext } from '../../contract/traces/trace-context.js';
import { isObject, type JsonValue } from '../../contract/json/json.js';
import type { StartInput } from '../../contract/runs/start-input.js';
import { givenTrace } from './run-trace.js';

/**
 * Tells each activity of a run that was started in a trace where the run stands in it, by headers of Temporal's: what it asks
 * others for belongs to that trace, whichever worker makes it. A run that was started in none has no such headers.
 */
export function tracedCalls(): WorkflowInterceptors {
  let headers: Record<string, Payload> = {};
  return {
    inbound: [
      {
        execute(input, next) {
          const [start] = input.args as [JsonValue?];
          headers = headersOf(givenTrace(isObject(start ?? null) ? (start as Partial<StartInput>) : {}));
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next({ ...input, headers: { ...input.headers, ...headers } }),
      },
    ],
  };
}

function headersOf(given: TraceContext | null): Record<string, Payload> {
  if (given === null) return {};
  const { workflowId: runId, firstExecutionRunId: firstExecutionId } = workflowInfo();
  const context = contextAt(runTraceOf(runId, given), { runId, firstExecutionId }, '');
  return Object.fromEntries(
    Object.entries(context).map(([name, value]) => [name, defaultPayloadConverter.toPayload(value)]),
  );
}
