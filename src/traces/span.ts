/** An attribute's value: what OTLP has types for and we have use for. */
export type AttributeValue = string | number | boolean | readonly string[];
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

/** A span that has ended. Its ids come from what it stands for, so that the same span may be sent twice. */
export interface Span {
  traceId: string;
  spanId: string;
  /** null: it is the first of its trace. */
  parentSpanId: string | null;
  name: string;
  kind: 'internal' | 'server' | 'client';
  /** In ms since 1970. */
  startMs: number;
  endMs: number;
  attributes: Attributes;
  /** What it failed with, by its code; left out: it didn't. */
  error?: { code: string; message?: string };
  /** Another span of the same trace that this one follows. */
  follows?: string;
  tracestate?: string;
}
