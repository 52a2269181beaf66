import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type WorkflowClient,
} from '@temporalio/client';
import {
  letterMemo,
  letterWorkflowId,
  readLetterRecord,
  type LetterOrder,
  type LetterRecord,
} from '../../contract/dead-letters/letter-order.js';
import { deadLetterType } from '../../contract/names.js';

/** What was ordered for a letter; null: nothing, or for another run of the same id. */
export async function recordOf(
  client: WorkflowClient,
  letter: string,
  execution: string,
): Promise<LetterRecord | null> {
  try {
    const { memo } = await client.getHandle(letterWorkflowId(letter)).describe();
    const record = readLetterRecord(memo);
    return record?.execution === execution ? record : null;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

export interface OrderOptions {
  taskQueue: string;
  by: string | null;
  reason?: string | null;
}

/** Puts an order down, in place of the one before. An intent that is on its way already isn't sent beside itself. */
export async function putOrder(
  client: WorkflowClient,
  order: LetterOrder,
  { taskQueue, by, reason = null }: OrderOptions,
): Promise<void> {
  const { letter, execution } = order;
  const before = await recordOf(client, letter, execution);
  const record: LetterRecord = {
    ...{ letter, execution, by, reason },
    action: order.send === undefined ? 'drop' : 'requeue',
    at: new Date().toISOString(),
    tried: (before?.tried ?? 0) + (before?.outcome?.attempts ?? 0),
    outcome: null,
  };
  try {
    await client.start(deadLetterType, {
      args: [order],
      workflowId: letterWorkflowId(letter),
      taskQueue,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'TERMINATE_EXISTING',
      staticSummary: `${record.action} ${letter}`,
      memo: { [letterMemo]: record },
    });
  } catch (error) {
    // Somebody else was at it in the same moment.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
