import { workflowInfo } from '@temporalio/workflow';
import { mostChangeRecords } from '../../contract/changes/run-change.js';
import { sourceHash } from '../../contract/procedures/source.js';
import type { RetryHere } from './changing.js';
import { prove, tooLarge, type ChangeParts } from './settle-change.js';

/** Whether a part is to be tried again, or was when the run last looked. */
export function isRetryAwaited({ retriesHere }: ChangeParts['context']): boolean {
  return retriesHere.waiting.size > 0 || retriesHere.isHolding;
}

/**
 * Tries the first part that waits for it again from what failed in it, where another execution can take over. It is proved first that the
 * source leads there by the log that is left: other branches may have gone on by what the failure led to. Gives whether the run goes on in
 * another execution now.
 */
export async function settleRetryHere(parts: ChangeParts): Promise<boolean> {
  const { context, effects } = parts;
  const { retriesHere } = context;
  const [[position, retry] = []] = retriesHere.waiting;
  if (position === undefined || retry === undefined) {
    // Its branch was given up.
    if (retriesHere.isHolding) letGo(parts);
    return false;
  }
  if (context.sequence.hasLasting) return false;
  if (!effects.canBeHandedOver) {
    retriesHere.isHolding = true;
    effects.hold();
    return false;
  }
  const why = await settle(parts, retry);
  if (why === null) return true;
  retriesHere.waiting.delete(position);
  letGo(parts);
  retry.refuse(why);
  return false;
}

function letGo({ context, effects }: ChangeParts): void {
  context.retriesHere.isHolding = false;
  effects.release();
}

/** Gives why it can't be done; null: it is agreed to. */
async function settle(
  parts: ChangeParts,
  { at, gone, spent, by, isAnew }: RetryHere,
): Promise<string | null> {
  const { context, carry, program } = parts;
  const { changes = [] } = carry;
  if (changes.filter(({ kind }) => kind === 'retry').length === mostChangeRecords)
    return `the run has been tried again ${mostChangeRecords} times`;
  const proof = await prove(parts);
  parts.addBarrier();
  const problem = proof.diverges ?? proof.failed;
  if (problem !== null) return problem.message;
  const hash = `sha256:${sourceHash(context.start.source)}`;
  context.changing.agreed = {
    ...{ source: null, digests: {}, cut: null, gone: { positions: new Set(gone), spent } },
    record: {
      ...{ kind: 'retry', position: at, at: new Date(Date.now()).toISOString(), by, from: hash, to: hash },
      kept: (carry.pass?.checkpoints ?? 0) + program.log.count - gone.length,
      ...(isAnew ? { anew: true } : {}),
      ...{ changed: [], open: {}, execution: workflowInfo().runId },
    },
  };
  if (await parts.fitsNext()) return null;
  context.changing.agreed = null;
  return tooLarge;
}
