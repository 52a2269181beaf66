import type { WorkflowExecutionDescription } from '@temporalio/client';
import { intentLetterId } from '../../contract/dead-letters/dead-letter.js';
import type { LetterRecord } from '../../contract/dead-letters/letter-order.js';
import { lastArgument } from '../../contract/text/shell-word.js';
import { eachLimit } from '../concurrency.js';
import type { IntentView } from '../../contract/graphs/recorded-intents.js';
import { endOf, firstExecutionOf } from '../runs/view-run.js';
import type { TactusRun } from '../tactus-run.js';
import { recordOf } from './letter-records.js';

/** So many records are asked for at once, and in all: more is for `dlq list`. */
const atOnce = 8;
const most = 500;

/**
 * Says of intents that weren't sent what became of them since: a run that has ended sends none of those that wait, and a dead letter may
 * have been sent again, or dropped.
 */
export async function settleIntents(
  run: TactusRun,
  description: WorkflowExecutionDescription,
  intents: readonly IntentView[],
): Promise<IntentView[]> {
  const end = endOf(description.status.name);
  const settled = intents.map((each): IntentView => {
    if (each.status !== 'waiting' || end === null) return each;
    const id = intentLetterId(run.runId, each.key);
    const how = id === null ? '' : `. To send it: tactus-temporal dlq requeue ${lastArgument(id)}`;
    const error = `the run has ended (${end}) before it was known to be sent${how}`;
    return { ...each, status: 'failed', error };
  });
  const unsent = settled.filter(({ status }) => status === 'failed').slice(0, most);
  await eachLimit(unsent, atOnce, async (view) => {
    const id = intentLetterId(run.runId, view.key);
    if (id === null) return;
    const record = await recordOf(run.handle.client, id, firstExecutionOf(description));
    if (record !== null) settleBy(view, record);
  });
  return settled;
}

function settleBy(view: IntentView, { action, by, reason, tried, outcome }: LetterRecord): void {
  view.attempts += tried + (outcome?.attempts ?? 0);
  if (action === 'drop') {
    const who = by === null ? '' : ` by ${by}`;
    view.error = `dropped${who}${reason === null ? '' : `: ${reason}`}`;
  } else if (outcome === null) {
    view.status = 'waiting';
    delete view.error;
  } else {
    view.status = outcome.status;
    if (outcome.status === 'failed') view.error = outcome.message;
    else delete view.error;
  }
}
