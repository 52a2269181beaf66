import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SpanExporter } from '../../../src/traces/span-exporter.js';
import { readTraceSettings, type TraceSettings } from '../../../src/traces/trace-settings.js';
import type { Span } from '../../../src/traces/index.js';
import { startOtlpReceiver, type OtlpReceiver } from '../../support/otlp-receiver.js';
import { waitUntil } from '../../support/wait-until.js';

let receiver: OtlpReceiver;
beforeEach(async () => {
  receiver = await startOtlpReceiver();
});
afterEach(() => receiver.close());

const span = (number: number): Span => ({
  ...{ traceId: 'a'.repeat(32), spanId: String(number).padStart(16, '0'), parentSpanId: null },
  ...{ name: 'step', kind: 'internal', startMs: 1_000, endMs: 1_005, attributes: { cost: 0.5, count: 3 } },
});
const spansOf = (count: number): Span[] => Array.from({ length: count }, (_, i) => span(i + 1));

function exporterTo(url: string, options: { mostWaiting?: number } = {}) {
  const troubles: string[] = [];
  const settings = readTraceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: url }) as TraceSettings;
  const exporter = new SpanExporter(settings, {
    ...{ gatherMs: 0, retryMs: [], onTrouble: (problem) => troubles.push(problem) },
    ...options,
  });
  return { exporter, troubles };
}

describe('an exporter of spans', () => {
  it('sends what it is given, in messages of a bounded size', async () => {
    const { exporter } = exporterTo(receiver.url);
    exporter.add(spansOf(1_000));
    await exporter.close();
    expect(receiver.bodies).toHaveLength(2);
    expect(receiver.spans()).toHaveLength(1_000);
    expect(receiver.spans()[0]).toMatchObject({
      ...{ start: 1_000_000_000n, end: 1_005_000_000n, attributes: { cost: 0.5, count: 3 } },
    });
    expect(exporter.lost).toBe(0);
  });

  it('sends again what a receiver had no time for', async () => {
    const settings = readTraceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url }) as TraceSettings;
    const exporter = new SpanExporter(settings, {
      gatherMs: 0,
      retryMs: [20, 20, 20],
      onTrouble: () => undefined,
    });
    receiver.status = 503;
    exporter.add(spansOf(1));
    await waitUntil(() => Promise.resolve(receiver.headers.length > 0));
    receiver.status = 200;
    await waitUntil(() => Promise.resolve(receiver.spans().length === 1));
  });

  it('keeps a bounded number for a receiver that is away, counts what is lost, and says so once', async () => {
    const { exporter, troubles } = exporterTo('http://127.0.0.1:9', { mostWaiting: 10 });
    for (let i = 0; i < 5; i++) exporter.add(spansOf(10));
    expect(exporter.lost).toBe(40);
    await waitUntil(() => Promise.resolve(exporter.lost === 50));
    exporter.add(spansOf(1));
    await waitUntil(() => Promise.resolve(exporter.lost === 51));
    expect(troubles).toEqual([
      'traces: spans are lost, 10 so far: 127.0.0.1:9: more are waiting than are kept. Runs are not affected',
    ]);
  });

  it('says so again where it had been mended', async () => {
    const { exporter, troubles } = exporterTo(receiver.url);
    for (const status of [400, 200, 400]) {
      receiver.status = status;
      const before = receiver.headers.length;
      exporter.add(spansOf(1));
      await waitUntil(() => Promise.resolve(receiver.headers.length > before));
      await exporter.close();
    }
    expect(troubles).toHaveLength(2);
    expect(troubles[0]).toMatch(/it answered with status 400/);
  });
});

describe('the settings of traces', () => {
  it('are those of the OpenTelemetry variables', () => {
    expect(
      readTraceSettings({
        OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector:4318/',
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x, a=b',
        OTEL_RESOURCE_ATTRIBUTES: 'service.name=shop,deployment.environment.name=test',
        OTEL_TRACES_SAMPLER: 'always_on',
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
      }),
    ).toEqual({
      url: 'https://collector:4318/v1/traces',
      headers: { authorization: 'Bearer x', a: 'b' },
      serviceName: 'shop',
      resource: { 'deployment.environment.name': 'test' },
      ...{ ignoresParent: true, showsContent: true },
    });
  });

  it.each([
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_SDK_DISABLED: 'true' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_TRACES_SAMPLER: 'always_off' },
  ])('are none with %j', (env) => {
    expect(readTraceSettings(env)).toBeNull();
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /^OTEL_EXPORTER_OTLP_PROTOCOL must be http\/json/],
    [{ OTEL_TRACES_SAMPLER: 'traceidratio' }, /^OTEL_TRACES_SAMPLER must be one of always_on/],
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, /^OTEL_TRACES_EXPORTER must be otlp or none/],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'collector:4318' }, /^OTEL_EXPORTER_OTLP_TRACES_ENDPOINT must be/],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'secret' }, /^OTEL_EXPORTER_OTLP_HEADERS must be key=value/],
  ])('refuse %j, naming the variable', (env, message) => {
    expect(() => readTraceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', ...env })).toThrow(
      message,
    );
  });
});
