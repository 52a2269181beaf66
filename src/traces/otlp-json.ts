import { conventionsVersion } from './conventions.js';
import type { AttributeValue, Attributes, Span } from './span.js';

/** OTLP's numbers for them. */
const kinds = { internal: 1, server: 2, client: 3 } as const;
const failed = 2;

/** Who sends spans: in the resource of each message. */
export interface TraceSource {
  serviceName: string;
  resource: Attributes;
}

/** The body of an OTLP/HTTP request in JSON: `ExportTraceServiceRequest`. */
export function otlpJson(spans: readonly Span[], { serviceName, resource }: TraceSource): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: pairs({ ...resource, 'service.name': serviceName }) },
        scopeSpans: [
          {
            scope: { name: 'tactus-temporal' },
            spans: spans.map(toOtlp),
            schemaUrl: `https://opentelemetry.io/schemas/${conventionsVersion}`,
          },
        ],
      },
    ],
  });
}

function toOtlp(span: Span): object {
  const { traceId, spanId, parentSpanId, name, kind, startMs, endMs, error, follows, tracestate } = span;
  return {
    ...{ traceId, spanId, name, kind: kinds[kind] },
    ...(parentSpanId === null ? {} : { parentSpanId }),
    ...(tracestate === undefined ? {} : { traceState: tracestate }),
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(Math.max(startMs, endMs)),
    attributes: pairs({ ...span.attributes, ...(error === undefined ? {} : { 'error.type': error.code }) }),
    ...(follows === undefined ? {} : { links: [{ traceId, spanId: follows }] }),
    ...(error === undefined
      ? {}
      : { status: { code: failed, ...(error.message === undefined ? {} : { message: error.message }) } }),
  };
}

/** As a text: JSON's numbers are too small for it. */
function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms)) * 1_000_000n);
}

function pairs(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((each) => ({ stringValue: each })) } };
}
