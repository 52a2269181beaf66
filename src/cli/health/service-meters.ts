import type { MetricMeter } from '@temporalio/common';
import type { Readiness } from '../../client/index.js';
import type { ListenAddress } from '../../configuration/setting-values.js';
import type { RunIndex } from '../../read-model/run-index.js';
import type { Session } from '../session.js';
import type { Screen } from '../terminal/screen.js';

/** Serves the metrics of this process, those of its worker among them. */
export async function beginMetrics(
  metrics: ListenAddress,
  { verbose, screen }: { verbose: boolean; screen: Screen },
): Promise<void> {
  const { quietRuntime } = await import('../../worker/index.js');
  quietRuntime({ verbose, metrics, write: (...line) => screen.log(...line) });
}

interface Metered {
  readiness: Readiness;
  /** null: open runs are not counted. */
  index: RunIndex | null;
  groups: Readonly<Record<string, readonly string[]>>;
  session: Session;
  onTrouble: (problem: string) => void;
}

/**
 * Tells now and then how things stand in `serve`.
 * @returns what ends it
 */
export async function beginServerMeters(
  meter: MetricMeter | null,
  { readiness, index, groups, session, onTrouble }: Metered,
): Promise<() => void> {
  if (meter === null) return () => undefined;
  const { meterReadiness } = await import('../../worker/index.js');
  const { RunGauges } = await import('../../server/index.js');
  const { namespace } = session.target;
  const endReadiness = meterReadiness(meter, readiness);
  const gauges = index === null ? null : new RunGauges({ index, meter, namespace, groups, onTrouble });
  gauges?.begin();
  return () => {
    endReadiness();
    gauges?.end();
  };
}
