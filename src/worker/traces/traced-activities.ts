import type { Context } from '@temporalio/activity';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import type { ActivityInterceptors } from '@temporalio/worker';
import {
  readTraceContext,
  readTraceparent,
  spanIdOf,
  traceIdOf,
  traceparentOf,
  type TraceContext,
} from '../../contract/traces/trace-context.js';
import { inTrace } from '../../egress/outgoing-trace.js';

/**
 * What an activity asks others for belongs to the trace of its run, below the span of the call that it makes.
 * @param isTraced whether runs that were started in no trace have one of their own
 */
export function tracedActivities(isTraced: boolean): (context: Context) => ActivityInterceptors {
  return ({ info }) => ({
    inbound: {
      execute(input, next) {
        const runId = info.workflowExecution?.workflowId;
        const own = isTraced && runId !== undefined ? { traceId: traceIdOf(runId), isSampled: true } : null;
        const context = contextOf(input.headers, keyOf(input.args), own);
        return context === null ? next(input) : inTrace(context, () => next(input));
      },
    },
  });
}

/** Of the call, whose span is made of it. Messages to people have none, and a batch is of many calls: they belong to the run. */
function keyOf([input]: unknown[]): string | null {
  const { idempotencyKey: key, calls } = (input ?? {}) as { idempotencyKey?: unknown; calls?: unknown };
  return typeof key === 'string' && calls === undefined ? key : null;
}

function contextOf(
  headers: Record<string, Payload>,
  key: string | null,
  own: { traceId: string; isSampled: boolean } | null,
): TraceContext | null {
  const given = readTraceContext({
    traceparent: textOf(headers['traceparent']),
    tracestate: textOf(headers['tracestate']),
  });
  const run = readTraceparent(given?.traceparent);
  if (run !== null && given !== null)
    return key === null ? given : { ...given, traceparent: traceparentOf({ ...run, spanId: spanIdOf(key) }) };
  return own === null || key === null
    ? null
    : { traceparent: traceparentOf({ ...own, spanId: spanIdOf(key) }) };
}

function textOf(payload: Payload | undefined): unknown {
  try {
    return payload === undefined ? undefined : defaultPayloadConverter.fromPayload(payload);
  } catch {
    return undefined;
  }
}
