import { sha256Hex } from '../effects/digest.js';
import { idempotencyKey, type RunKeys } from '../effects/idempotency-key.js';
import type { Position } from '../checkpoints/checkpoint.js';

/** A place in a trace as W3C's headers carry it, between processes and from a run to its child runs. */
export interface TraceContext {
  /** `00-<trace id>-<span id>-<flags>`. */
  traceparent: string;
  /** What vendors of tracing add; left out: nothing. */
  tracestate?: string;
}

/** The same, read. */
export interface TracePlace {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  /** Whether whoever began the trace records it. */
  isSampled: boolean;
}

/** Of version 00, and of later ones, which may have more at the end. */
const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
/** Longest `traceparent` that is read, and longest `tracestate` that is passed on, in characters: W3C's bound. */
const longest = 512;

/** null where it is none, by W3C's rules: whoever gets one goes on as if there were none. */
export function readTraceparent(text: unknown): TracePlace | null {
  if (typeof text !== 'string' || text.length > longest) return null;
  const [, version = '', traceId = '', spanId = '', flags = '', more] = pattern.exec(text) ?? [];
  if (version === '' || version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** A context out of what came from outside; null where there is none, or it is malformed. */
export function readTraceContext(given: unknown): TraceContext | null {
  const { traceparent, tracestate } = (given ?? {}) as Record<string, unknown>;
  if (readTraceparent(traceparent) === null) return null;
  const isState = typeof tracestate === 'string' && /^[\x20-\x7e]{1,512}$/.test(tracestate);
  return { traceparent: traceparent as string, ...(isState ? { tracestate } : {}) };
}

export function traceparentOf({ traceId, spanId, isSampled }: TracePlace): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** The trace of a run that was started without one, and of its child runs: the same whoever asks, and however often. */
export function traceIdOf(runId: string): string {
  return sha256Hex(`trace ${runId}`).slice(0, 32);
}

/** The span of what has this key: the same whenever it is made. */
export function spanIdOf(key: string): string {
  return sha256Hex(`span ${key}`).slice(0, 16);
}

/** The span of a checkpoint of a run, and of the run itself at the empty position. */
export function spanIdAt(run: RunKeys, position: Position): string {
  return spanIdOf(idempotencyKey(run, position));
}

/** Where a run stands in its trace. */
export interface RunTrace {
  traceId: string;
  /** Of whoever started it; null: nobody said so. */
  parentSpanId: string | null;
  isSampled: boolean;
  tracestate?: string;
}

/** @param given what whoever started the run said of a trace; null: nothing */
export function runTraceOf(runId: string, given: TraceContext | null): RunTrace {
  const place = readTraceparent(given?.traceparent);
  if (place === null) return { traceId: traceIdOf(runId), parentSpanId: null, isSampled: true };
  const { traceId, spanId: parentSpanId, isSampled } = place;
  const { tracestate } = given ?? {};
  return { traceId, parentSpanId, isSampled, ...(tracestate === undefined ? {} : { tracestate }) };
}

/** The context of what one place of a run asks for. */
export function contextAt(
  { traceId, isSampled, tracestate }: RunTrace,
  run: RunKeys,
  position: Position,
): TraceContext {
  return {
    traceparent: traceparentOf({ traceId, spanId: spanIdAt(run, position), isSampled }),
    ...(tracestate === undefined ? {} : { tracestate }),
  };
}
