import { randomBytes } from 'node:crypto';
import { TactusError } from '../../contract/errors.js';
import {
  readTraceContext,
  readTraceparent,
  traceparentOf,
  type TraceContext,
} from '../../contract/traces/trace-context.js';
import { attributes, type Traces } from '../../traces/index.js';

/** A request that is to have a span of its own. */
interface TracedRequest {
  method: string;
  /** With names in place of what differs: `/api/v1/namespaces/{namespace}/runs`. */
  route: string;
  /** Gives a header of the request. */
  header: (name: string) => string | undefined;
}

/**
 * Does what a request asks for, in its trace. What it starts hangs on the request's own span, where this server makes spans, else on
 * that of the sender.
 * @param work is given the context of what it starts; undefined: nobody traces
 */
export async function inRequestSpan<T>(
  traces: Traces | null,
  { method, route, header }: TracedRequest,
  work: (trace: TraceContext | undefined) => Promise<T>,
): Promise<T> {
  const given = readTraceContext({ traceparent: header('traceparent'), tracestate: header('tracestate') });
  if (traces === null) return work(given ?? undefined);
  const sender = readTraceparent(given?.traceparent);
  const traceId = sender?.traceId ?? randomBytes(16).toString('hex');
  const spanId = randomBytes(8).toString('hex');
  const isSampled = sender?.isSampled ?? true;
  const { tracestate } = given ?? {};
  const state = tracestate === undefined ? {} : { tracestate };
  const startMs = Date.now();
  const end = (error?: { code: string }): void => {
    if (!isSampled && !traces.ignoresParent) return;
    traces.add([
      {
        ...{ traceId, spanId, parentSpanId: sender?.spanId ?? null, ...state },
        ...{ name: `${method} ${route}`, kind: 'server', startMs, endMs: Date.now() },
        attributes: { [attributes.httpMethod]: method, [attributes.httpRoute]: route },
        ...(error === undefined ? {} : { error }),
      },
    ]);
  };
  try {
    const answer = await work({ traceparent: traceparentOf({ traceId, spanId, isSampled }), ...state });
    end();
    return answer;
  } catch (error) {
    end({ code: error instanceof TactusError ? error.code : 'internal' });
    throw error;
  }
}
