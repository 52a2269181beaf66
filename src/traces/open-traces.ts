import type { Environment } from '../contract/environment.js';
import type { Span } from './span.js';
import { SpanExporter } from './span-exporter.js';
import { readTraceSettings } from './trace-settings.js';

/** Who takes spans, and which. */
export interface Traces {
  /** Takes spans that have ended. Neither waits nor throws. */
  add: (spans: readonly Span[]) => void;
  /** Whether spans are also made of traces that whoever began them doesn't record. */
  ignoresParent: boolean;
  /** Whether spans have prompts, answers, arguments and results. */
  showsContent: boolean;
  /** Sends what waits, for some seconds at most. */
  close: () => Promise<void>;
}

/**
 * Sends traces to the receiver that OpenTelemetry's variables name; null: they name none.
 * @param onTrouble is told once that spans are lost
 * @throws TactusError config_invalid
 */
export function openTraces(env: Environment, onTrouble: (problem: string) => void): Traces | null {
  const settings = readTraceSettings(env);
  if (settings === null) return null;
  const { ignoresParent, showsContent } = settings;
  const exporter = new SpanExporter(settings, { onTrouble });
  return {
    add: (spans) => exporter.add(spans),
    ...{ ignoresParent, showsContent },
    close: () => exporter.close(),
  };
}
