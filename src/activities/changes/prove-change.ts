import type { ProveChangeInput } from '../../contract/activities.js';
import type { ProofResult } from '../../contract/changes/proof.js';
import { withHeartbeat } from '../retries/heartbeat.js';
import { assertResultFits, atEdge } from '../retries/failures.js';

/** Proves the change that a run waits with. @throws where no worker answers for the run */
export type ChangeProver = (run: ProveChangeInput) => Promise<ProofResult>;

/** So many changed settings the run keeps and tells: the plan has all of them. */
const mostChanged = 200;

/**
 * Proves that a source fits a run that waits for the verdict meanwhile.
 * @throws ApplicationFailure of type payload_too_large where too much of the log changes
 */
export async function proveChange(prove: ChangeProver, run: ProveChangeInput): Promise<ProofResult> {
  const subject = `The proof for ${run.runId}`;
  return atEdge({ code: 'internal', subject, secrets: () => [] }, async () => {
    const { changed, ...proof } = await withHeartbeat(() => prove(run));
    return assertResultFits({ ...proof, again: [], changed: changed.slice(0, mostChanged) }, subject);
  });
}
