import type { MetricMeter } from '@temporalio/common';
import type { Readiness } from '../../client/index.js';

/** How often the probes look, in ms. */
const lookMs = 15_000;

/**
 * Tells now and then which checks of `/readyz` hold: `tactus_ready`, 1 or 0 by check.
 * @returns what ends it
 */
export function meterReadiness(
  meter: MetricMeter,
  readiness: Pick<Readiness, 'report'>,
  everyMs: number = lookMs,
): () => void {
  const ready = meter.createGauge('tactus_ready', 'int', undefined, 'Whether a check of readiness holds');
  const tell = async (): Promise<void> => {
    const { checks } = await readiness.report();
    for (const { name, status } of checks) ready.set(status === 'ok' ? 1 : 0, { check: name });
  };
  void tell();
  const telling = setInterval(() => void tell(), everyMs).unref();
  return () => clearInterval(telling);
}
