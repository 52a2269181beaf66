import type { Environment } from '../contract/environment.js';
import { TactusError } from '../contract/errors.js';
import type { Attributes } from './span.js';

/** OpenTelemetry's own variables, and what is read of each. */
const traceVariables = {
  endpoint: 'OTEL_EXPORTER_OTLP_ENDPOINT',
  tracesEndpoint: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  headers: 'OTEL_EXPORTER_OTLP_HEADERS',
  tracesHeaders: 'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  protocol: 'OTEL_EXPORTER_OTLP_PROTOCOL',
  tracesProtocol: 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
  exporter: 'OTEL_TRACES_EXPORTER',
  sampler: 'OTEL_TRACES_SAMPLER',
  serviceName: 'OTEL_SERVICE_NAME',
  resource: 'OTEL_RESOURCE_ATTRIBUTES',
  disabled: 'OTEL_SDK_DISABLED',
  content: 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT',
} as const;

const samplers = ['always_on', 'always_off', 'parentbased_always_on'] as const;

/** Where spans go, and which. */
export interface TraceSettings {
  /** Takes OTLP over HTTP. */
  url: string;
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  resource: Attributes;
  /** Also traces that whoever began them doesn't record. */
  ignoresParent: boolean;
  /** Spans have prompts, answers and arguments. */
  showsContent: boolean;
}

/**
 * What the environment says of traces; null: nobody wants any.
 * @throws TactusError config_invalid naming the variable
 */
export function readTraceSettings(env: Environment): TraceSettings | null {
  const of = (name: keyof typeof traceVariables): string => (env[traceVariables[name]] ?? '').trim();
  const base = of('endpoint');
  const given = of('tracesEndpoint') || (base === '' ? '' : `${base.replace(/\/+$/, '')}/v1/traces`);
  if (given === '' || of('disabled').toLowerCase() === 'true') return null;
  const exporter = of('exporter') || 'otlp';
  if (exporter === 'none') return null;
  if (exporter !== 'otlp') throw wrong('exporter', 'must be otlp or none');
  const sampler = of('sampler') || 'parentbased_always_on';
  if (!samplers.some((each) => each === sampler))
    throw wrong('sampler', `must be one of ${samplers.join(', ')}`);
  if (sampler === 'always_off') return null;
  assertUrl(given, of('tracesEndpoint') === '' ? 'endpoint' : 'tracesEndpoint');
  assertProtocol(
    of('tracesProtocol') || of('protocol'),
    of('tracesProtocol') === '' ? 'protocol' : 'tracesProtocol',
  );
  const { 'service.name': named, ...resource } = readPairs(of('resource'), 'resource');
  return {
    url: given,
    headers: { ...readPairs(of('headers'), 'headers'), ...readPairs(of('tracesHeaders'), 'tracesHeaders') },
    serviceName: of('serviceName') || named || 'tactus-temporal',
    resource,
    ignoresParent: sampler === 'always_on',
    showsContent: /^(true|span_only|span_and_event)$/i.test(of('content')),
  };
}

/** Whoever wants gRPC names another port: spans would be lost there. */
function assertProtocol(protocol: string, variable: 'protocol' | 'tracesProtocol'): void {
  if (protocol !== '' && protocol !== 'http/json' && protocol !== 'http/protobuf')
    throw wrong(
      variable,
      'must be http/json: traces are sent by HTTP, and every collector takes JSON on that port',
    );
}

function assertUrl(url: string, variable: 'endpoint' | 'tracesEndpoint'): void {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw wrong(
      variable,
      'must be the address of a receiver of OTLP over HTTP, such as http://localhost:4318',
    );
}

/** `key=value,key2=value2`, with what isn't plain in percent signs, as W3C's baggage. */
function readPairs(text: string, variable: keyof typeof traceVariables): Record<string, string> {
  if (text === '') return {};
  return Object.fromEntries(
    text.split(',').map((pair): [string, string] => {
      const [, key = '', value = ''] = /^\s*([^=\s]+)\s*=(.*)$/.exec(pair) ?? [];
      if (key === '') throw wrong(variable, 'must be key=value pairs with commas between them');
      try {
        return [key, decodeURIComponent(value.trim())];
      } catch {
        return [key, value.trim()];
      }
    }),
  );
}

function wrong(variable: keyof typeof traceVariables, problem: string): TactusError {
  return new TactusError('config_invalid', `${traceVariables[variable]} ${problem}`);
}
