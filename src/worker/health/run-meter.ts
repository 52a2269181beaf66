import type { MetricMeter, MetricTags } from '@temporalio/common';
import { BoundedNames } from '../../contract/health/bounded-names.js';
import type { RunCounts } from '../../contract/health/run-counts.js';

/** What the runs of a worker do, among the metrics that the SDK's runtime exports. What a replay does again doesn't count. */
export class RunMeter {
  private readonly started;
  private readonly ended;
  private readonly checkpoints;
  private readonly instructions;
  private readonly procedures = new BoundedNames();

  constructor(
    meter: MetricMeter,
    private readonly tags: MetricTags,
  ) {
    this.started = meter.createCounter('tactus_runs_started', undefined, 'Runs that began');
    this.ended = meter.createCounter('tactus_runs_ended', undefined, 'Runs that ended, by how');
    this.checkpoints = meter.createCounter(
      'tactus_checkpoints',
      undefined,
      'Checkpoints that ended, by type',
    );
    this.instructions = meter.createCounter('tactus_lua_instructions', undefined, 'Instructions of Lua');
  }

  count({ procedure, began, ended, checkpoints, instructions }: RunCounts): void {
    const tags = { ...this.tags, procedure: this.procedures.bounded(procedure) };
    if (began) this.started.add(1, tags);
    if (ended !== null) this.ended.add(1, { ...tags, status: ended });
    // By procedure and type there would be too many series.
    for (const { type, outcome, count } of checkpoints)
      this.checkpoints.add(count, { ...this.tags, type, outcome });
    if (instructions > 0) this.instructions.add(instructions, tags);
  }
}
