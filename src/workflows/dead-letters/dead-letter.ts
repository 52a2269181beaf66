import { continueAsNew, sleep, upsertMemo, workflowInfo } from '@temporalio/workflow';
import { letterMemo, readLetterRecord, type LetterOrder } from '../../contract/dead-letters/letter-order.js';
import type { IntentOutcome } from '../../contract/graphs/intent-effect.js';
import { remoteActivities, remoteRunReader } from '../effects/activities.js';
import { failedOutcome } from '../effects/outcomes.js';
import { intentTimeoutMs } from '../graphs/intent-effect.js';

const firstPauseMs = 60_000;
const longestPauseMs = 6 * 3_600_000;

/**
 * Does to a dead letter what somebody has ordered. The order and its outcome stand in the memo: whoever reads dead letters finds them by
 * the id of this workflow, which lasts for as long as the run that the letter is of.
 */
export async function tactusDeadLetter(order: LetterOrder): Promise<void> {
  let { outcome } = order;
  if (order.send !== undefined && outcome === undefined) {
    outcome = await send(order.send);
    const record = readLetterRecord(workflowInfo().memo);
    upsertMemo({ [letterMemo]: { ...record, outcome } });
  }
  for (let pauseMs = firstPauseMs; !(await hasClosed(order)); pauseMs *= 2) {
    await sleep(Math.min(pauseMs, longestPauseMs), { summary: `until ${order.run} has ended` });
    if (workflowInfo().continueAsNewSuggested)
      await continueAsNew(outcome === undefined ? order : { ...order, outcome });
  }
}

async function send({ key, intent, limits, settings }: LetterOrder['send'] & object): Promise<IntentOutcome> {
  const call = { timeoutMs: intentTimeoutMs, summary: intent.type };
  const { dispatchIntent, tries } = remoteActivities({ limits, settings }, call);
  try {
    return await dispatchIntent({ idempotencyKey: key, intent, tries });
  } catch (error) {
    const failed = failedOutcome(error, 'delivery_failed');
    return { key, status: 'failed', attempts: 1, message: failed.ok ? '' : failed.message };
  }
}

/** Whether the run has ended, or another run has its id by now. */
async function hasClosed({ run, execution }: LetterOrder): Promise<boolean> {
  try {
    const [look] = await remoteRunReader(`looks at ${run}`).lookAtRuns({ ids: [run], brief: true });
    return look === undefined || look.isClosed === true || (look.firstExecution ?? execution) !== execution;
  } catch {
    // The server has forgotten it.
    return true;
  }
}
