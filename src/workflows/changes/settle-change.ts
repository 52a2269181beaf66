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
import { defined } from '../../contract/json/json.js';
import { definitionOf } from '../../contract/effects/effects.js';
import { sourceHash } from '../../contract/procedures/source.js';
import { unpackLog } from '../../log/pack.js';
import { changeProver } from '../effects/activities.js';
import { failedOutcome, toError } from '../effects/outcomes.js';
import type { HandedParts } from '../history/hand-over.js';
import { unmoved, type AskedChange } from './changing.js';

/** What a change needs of the execution that it meets. */
export interface ChangeParts extends Omit<HandedParts, 'mirrored'> {
  /** The server has answered something that was awaited alone: it has all that was done before. */
  addBarrier: () => void;
  /** Waits for the next event, and takes it: the procedure isn't told. */
  takeNext: () => Promise<void>;
  /** Whether another execution can take over what there is, by its size. */
  fitsNext: () => Promise<boolean>;
}

/** Settles the change that waits, where its moment has come. Gives whether the run goes on with it in another execution now. */
export async function settleChange(parts: ChangeParts): Promise<boolean> {
  const { asked } = parts.context.changing;
  if (asked === null || parts.context.sequence.hasLasting) return false;
  return asked.kind === 'upgrade' ? settleUpgrade(parts, asked.change) : settleRewind(parts, asked);
}

/**
 * Another source is taken where another execution can take over. It is proved once more, as the
 * run has gone on since the change was planned. The program is told nothing between the proof and the end of an execution that
 * moves; a change that is refused leaves the run as it was.
 */
async function settleUpgrade(parts: ChangeParts, change: RunChange): Promise<boolean> {
  const { context, effects } = parts;
  const { changing } = context;
  if (!effects.canBeHandedOver) {
    effects.hold();
    return false;
  }
  const proof = await prove(parts);
  parts.addBarrier();
  const { source } = change;
  const record = recordOf(change, proof, parts);
  changing.agreed = { source, digests: proof.digests, record, cut: null, gone: null };
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

type AskedRewind = Extract<AskedChange, { kind: 'rewind' }>;

/**
 * A run goes back where it stands as it did when that was planned. All that it has begun since the checkpoint is given up, and what a
 * worker is at besides; requests, timers, events and child runs that were waited for before go along.
 */
async function settleRewind(parts: ChangeParts, { request, log }: AskedRewind): Promise<boolean> {
  const { context, effects, program, carry } = parts;
  const { changing, children, runId } = context;
  const { pass, seen, source = null, outcomes, events } = request;
  if (pass !== (carry.pass?.number ?? 0) || seen !== (carry.pass?.checkpoints ?? 0) + program.log.count) {
    changing.tell(unmoved('busy', 'the run has gone on since the change was planned'));
    return false;
  }
  const goOn = new Set(request.open.filter((position) => lasts(effects, position)));
  changing.agreed = {
    ...{ source, digests: {}, gone: null },
    record: {
      ...request.record,
      at: new Date(Date.now()).toISOString(),
      execution: workflowInfo().runId,
    },
    cut: {
      ...{ log, outcomes, events, key: request.key },
      ...defined({ earlier: request.earlier }),
      requests: new Set([...goOn].map((position) => `${runId}/${position}`)),
    },
  };
  if (!(await parts.fitsNext())) {
    changing.agreed = null;
    changing.tell(unmoved('failed', tooLarge));
    return false;
  }
  effects.hold();
  for (const { position } of effects.waits) if (!goOn.has(position)) effects.giveUp(position);
  const recorded = new Set(unpackLog(log).map(({ position }) => position));
  for (const position of children.carried().children)
    if (!goOn.has(position) && !recorded.has(position)) children.cancel(position);
  effects.cancelLeftovers();
  while (!effects.canBeHandedOver) await parts.takeNext();
  changing.tell({ ...unmoved('fits', null), moved: true, kept: recorded.size });
  return true;
}

/** It goes on when another execution takes over. */
function lasts(effects: ChangeParts['effects'], position: Position): boolean {
  const effect = effects.at(position);
  return effect !== undefined && lastingWaits.has(definitionOf(effect.kind).wait);
}

/** By a worker, which reads the run meanwhile: so the verdict is in history, and no later version of the proof changes it. */
export async function prove({ context }: Pick<ChangeParts, 'context'>): Promise<ProofResult> {
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

export const tooLarge = "the run's log and the source are too large together to begin another execution with";

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
