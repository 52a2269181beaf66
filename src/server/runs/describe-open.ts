import { describeRun } from '../../client/index.js';
import { TactusError } from '../../contract/errors.js';

/** @throws TactusError run_not_found; run_conflict where it has ended */
export async function describeOpen(run: Parameters<typeof describeRun>[0]): Promise<void> {
  const { closeTime } = await describeRun(run);
  if (closeTime !== undefined) throw new TactusError('run_conflict', `The run ${run.runId} has ended`);
}
