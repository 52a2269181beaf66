import { TactusError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json/json.js';
import { describeRun } from '../../client/runs/view-run.js';
import { askingOf, type ServedNamespace } from '../served-namespace.js';

/**
 * Sends an event to a run. Under the same id it is one, however often it is sent.
 * @throws TactusError run_not_found; run_conflict where the run has ended; payload_too_large
 */
export async function sendEvent(
  namespace: ServedNamespace,
  runId: string,
  { name, value, id }: { name: string; value: JsonValue; id: string },
): Promise<void> {
  const run = namespace.tactus.attach(runId);
  const { look } = askingOf(namespace);
  // A workflow that is no run of ours gets no signal of ours.
  const { closeTime } = await look(() => describeRun(run));
  if (closeTime !== undefined)
    throw new TactusError('run_conflict', `${runId} has ended: nobody waits for ${JSON.stringify(name)}`);
  await look(() => run.send(name, value, id));
}
