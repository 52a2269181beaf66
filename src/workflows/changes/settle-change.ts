import { workflowInfo } from '@temporalio/workflow';
import type { ProofResult } from '../../contract/changes/proof.js';
import {
  lastingWaits,
  mostRecorded,
  unacceptedChanges,
  unacceptedMessage,
  type ChangeRecord,
  type RunChange,
} from '../../contract/changes/run-change.js';
import type { Position } from '../../contract/checkpoints/checkpoint.js';
import { definitionOf } from '../../contract/effects/effects.js';
import { sourceHash } from '../../contract/procedures/source.js';
import { changeProver } from '../effects/activities.js';
import { failedOutcome, toError } from '../effects/outcomes.js';
import type { HandedParts } from '../history/hand-over.js';
import { unmoved } from './changing.js';

/** What a change needs of the execution that it meets. */
export interface ChangeParts extends Omit<HandedParts, 'mirrored'> {
  /** The server has answered something that was awaited alone: it has all that was done before. */
  addBarrier: () => void;
  /** Waits for the next event, and takes it: the procedure isn't told. */
  takeNext: () => Promise<void>;
  /** Whether another execution can take over what there is, by its size. */
  fitsNext: () => Promise<boolean>;
}

/**
 * Settles the change that waits, where its moment has come: another execution can take over. The source is proved once more, as the
 * run has gone on since the change was planned. The program is told nothing between the proof and the end of an execution that
 * moves; a change that is refused leaves the run as it was.
 *
 * Gives whether the run goes on with the change in another execution now: see `Changing.agreed`.
 */
export async function settleChange(parts: ChangeParts): Promise<boolean> {
  const { context, effects } = parts;
  const { changing, sequence } = context;
  const change = changing.asked;
  if (change === null || sequence.hasLasting) return false;
  if (!effects.canBeHandedOver) {
    effects.hold();
    return false;
  }
  const proof = await prove(parts);
  parts.addBarrier();
  changing.agreed = { source: change.source, digests: proof.digests, record: recordOf(change, proof, parts) };
  const refusal = refusalOf(change, proof) ?? ((await parts.fitsNext()) ? null : tooLarge);
  if (refusal !== null) {
    changing.agreed = null;
    changing.tell(unmoved(proof.verdict, refusal, proof));
    effects.release();
    return false;
  }
  const lost = Object.keys(proof.open).filter((position) => proof.open[position] !== 'kept');
  for (const position of lost) effects.giveUp(position);
  effects.cancelLeftovers();
  while (!effects.canBeHandedOver) await parts.takeNext();
  changing.tell({ ...unmoved(proof.verdict, null, proof), moved: true });
  return true;
}

/** By a worker, which reads the run meanwhile: so the verdict is in history, and no later version of the proof changes it. */
async function prove({ context }: ChangeParts): Promise<ProofResult> {
  const { runId, limits } = context;
  try {
    return await changeProver(limits.heartbeatMs).proveChange({ runId, executionId: workflowInfo().runId });
  } catch (error) {
    return { ...unproved, failed: toError(failedOutcome(error, 'internal')).toRunError() };
  }
}

const unproved: ProofResult = {
  ...{ verdict: 'failed', kept: 0, diverges: null, failed: null },
  ...{ changed: [], open: {}, again: [], digests: {} },
};

/** Positions of what goes on when another execution takes over. */
export function openIn(pending: HandedParts['program']['pending']): Position[] {
  const goOn = pending.filter(({ effect }) => lastingWaits.has(definitionOf(effect.kind).wait));
  return goOn.map(({ position }) => position);
}

const tooLarge = "the run's log and the source are too large together to begin another execution with";

function refusalOf(change: RunChange, { diverges, failed, changed }: ProofResult): string | null {
  if (diverges !== null) return diverges.message;
  if (failed !== null) return failed.message;
  const unaccepted = unacceptedChanges(changed, change);
  return unaccepted.length === 0 ? null : unacceptedMessage(unaccepted);
}

function recordOf(
  { source, by = '' }: RunChange,
  { changed, open }: ProofResult,
  { context, carry, program }: ChangeParts,
): ChangeRecord {
  const moved = Object.entries(open).filter(([, fate]) => fate !== 'kept');
  return {
    kind: 'upgrade',
    at: new Date(Date.now()).toISOString(),
    by: by === '' ? null : by,
    from: `sha256:${sourceHash(context.start.source)}`,
    to: `sha256:${sourceHash(source)}`,
    kept: (carry.pass?.checkpoints ?? 0) + program.log.count,
    changed: changed.slice(0, mostRecorded),
    open: Object.fromEntries(moved.slice(0, mostRecorded)),
    execution: workflowInfo().runId,
  };
}
