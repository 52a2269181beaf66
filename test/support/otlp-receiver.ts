import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A span as it was received. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  /** Empty: it has none. */
  parentSpanId: string;
  name: string;
  kind: number;
  /** In ns since 1970. */
  start: bigint;
  end: bigint;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  isFailed: boolean;
  service: unknown;
}

interface OtlpValue {
  stringValue?: string;
  intValue?: string | number;
  doubleValue?: number;
  boolValue?: boolean;
  arrayValue?: { values: OtlpValue[] };
}
type OtlpPairs = { key: string; value: OtlpValue }[];

interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes?: OtlpPairs;
  links?: { traceId: string; spanId: string }[];
  status?: { code?: number };
}

/** `ExportTraceServiceRequest` in JSON. */
interface OtlpTraces {
  resourceSpans: {
    resource: { attributes?: OtlpPairs };
    scopeSpans: { scope: { name: string }; spans: OtlpSpan[] }[];
  }[];
}

export interface OtlpReceiver {
  /** `http://127.0.0.1:<port>`. */
  url: string;
  /** Each span once, the last that came of it. */
  spans(): ReceivedSpan[];
  /** What came, as it came. */
  bodies: string[];
  headers: IncomingHttpHeaders[];
  /** What it answers with, from now on. */
  status: number;
  close(): Promise<void>;
}

/** A receiver of OTLP over HTTP in JSON, on this machine. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const bodies: string[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      headers.push(request.headers);
      if (receiver.status === 200 && request.url === '/v1/traces') bodies.push(body);
      response.writeHead(receiver.status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: OtlpReceiver = {
    ...{ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies, headers, status: 200 },
    spans: () => [...new Map(bodies.flatMap(readSpans).map((span) => [span.spanId, span])).values()],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}

/** The spans in a message, as a receiver or a collector writes it. */
function readSpans(body: string): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(body) as OtlpTraces;
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...{ traceId: span.traceId, spanId: span.spanId, parentSpanId: span.parentSpanId ?? '' },
        ...{ name: span.name, kind: span.kind },
        start: BigInt(span.startTimeUnixNano),
        end: BigInt(span.endTimeUnixNano),
        attributes: read(span.attributes),
        links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
        isFailed: span.status?.code === 2,
        service: read(resource.attributes)['service.name'],
      })),
    ),
  );
}

function read(pairs: OtlpPairs = []): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, valueOf(value)]));
}

function valueOf({ stringValue, intValue, doubleValue, boolValue, arrayValue }: OtlpValue): unknown {
  if (intValue !== undefined) return Number(intValue);
  return stringValue ?? doubleValue ?? boolValue ?? arrayValue?.values.map(valueOf);
}
