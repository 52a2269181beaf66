import type { MetricTags } from '@temporalio/common';
import { Runtime, type InjectedSinks } from '@temporalio/worker';
import type { WorkflowInfo } from '@temporalio/workflow';
import type { MetricSinks } from '../../workflows/health/count-run.js';
import type { MirrorUpdate, TactusSinks } from '../../workflows/storage/mirror.js';
import { RunMeter } from '../health/run-meter.js';
import type { TraceWriter } from '../traces/trace-writer.js';
import type { MirrorWriter } from '../storage/mirror/mirror-writer.js';
import type { IndexFeeder } from '../storage/mirror/index-feeder.js';

type RunSinks = InjectedSinks<TactusSinks & MetricSinks>;

/** Who hears what runs tell of themselves. */
interface Hearers {
  writer: MirrorWriter | null;
  feeder: IndexFeeder | null;
  traces: TraceWriter | null;
}

/** What runs tell their worker. Each sink must be there for every run: the SDK complains of one that isn't. */
export function runSinks({ writer, feeder, traces }: Hearers, tags: MetricTags): RunSinks {
  const tell = (info: WorkflowInfo, update: MirrorUpdate): void => {
    writer?.update(update);
    const { runId: id, runStartTime, continuedFromExecutionRunId: before } = info;
    const { run, answers } = update;
    feeder?.tell(run, answers === undefined ? null : { execution: id, answers });
    traces?.tell(update, { id, began: runStartTime.getTime(), before });
  };
  const meter = new RunMeter(Runtime.instance().metricMeter, tags);
  return {
    tactusMirror: { update: { fn: tell, callDuringReplay: false } },
    tactusMetrics: { count: { fn: (_info, counts) => meter.count(counts), callDuringReplay: false } },
  };
}

/** Those of a replay: nobody hears it. */
export const silentSinks: RunSinks = {
  tactusMirror: { update: { fn: () => undefined } },
  tactusMetrics: { count: { fn: () => undefined } },
};
