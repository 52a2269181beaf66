import { isWithin, type Checkpoint, type Position } from '../../contract/checkpoints/checkpoint.js';
import { hasCode } from '../../contract/errors.js';
import { withoutFailure } from '../../log/requeue.js';
import { logOf } from '../changes/go-on.js';
import { onceMore } from '../changes/retry.js';
import { startOfRun } from '../runs/start-input.js';
import { describeRun, firstExecutionOf } from '../runs/view-run.js';
import type { TactusClient } from '../tactus-client.js';
import type { TactusRun } from '../tactus-run.js';

/**
 * Goes on with a thread whose turn has failed by a node: under the same id, that node is called again, by the same key, and nothing that
 * was recorded beside it or before. Any other thread is left as it is.
 * @param timeout time that the turn may take from now on; left out: no limit
 * @throws TactusError run_not_found; payload_too_large where its log is too large to be handed over
 */
export async function goOnWithThread(
  client: TactusClient,
  run: TactusRun,
  timeout: string | undefined,
): Promise<void> {
  const description = await describeRun(run);
  const { status, runId: execution } = description;
  if (status.name !== 'FAILED') return;
  const failed = run.inExecution(execution);
  const log = await logOf(failed);
  const at = failureOf(log);
  if (at === null) return;
  const start = await startOfRun(client.client, run.runId);
  const firstExecutionId = firstExecutionOf(description, start);
  const again = { source: undefined, firstExecutionId, timeout };
  try {
    await client.startFork(await onceMore(failed, { log, kept: withoutFailure(log, at) }, again));
  } catch (error) {
    // Somebody else was faster, and does the same.
    if (!hasCode(error, 'run_conflict')) throw error;
  }
}

/** The call by which the last super-step has failed, the innermost; null: it has failed by something else, or not at all. */
function failureOf(log: readonly Checkpoint[]): Position | null {
  const superStep = log.findLast(({ type }) => type === 'super_step');
  if (superStep === undefined || superStep.outcome.ok) return null;
  const node = log.find(
    ({ type, position, outcome }) =>
      type === 'graph_node' && !outcome.ok && isWithin(position, superStep.position),
  );
  if (node === undefined) return null;
  const inside = log.filter(({ position, outcome }) => !outcome.ok && isWithin(position, node.position));
  const isFrame = ({ position }: Checkpoint): boolean =>
    inside.some((each) => each.position !== position && isWithin(each.position, position));
  return inside.findLast((each) => !isFrame(each))?.position ?? null;
}
