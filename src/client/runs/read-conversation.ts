import type { Client } from '@temporalio/client';
import type { Message } from '../../contract/models/model-call.js';
import { queryNames } from '../../contract/names.js';
import type { ConversationPage } from '../../contract/runs/run-view.js';
import { queryRun } from './query-run.js';

/** A model call of one execution of a run. */
interface OpenCall {
  runId: string;
  executionId: string;
  position: string;
}

/**
 * The first messages of a model call that is open.
 * @throws Error where it isn't, or no worker answers for the run
 */
export async function readConversation(
  client: Client,
  { runId, executionId, position }: OpenCall,
  count: number,
): Promise<Message[]> {
  const handle = client.workflow.getHandle(runId, executionId);
  const messages: Message[] = [];
  for (let from: number | null = 0; from !== null && messages.length < count;) {
    const page: ConversationPage | null = await queryRun(handle, queryNames.conversation, position, from);
    if (page === null) throw new Error(`no model call is open at ${position}`);
    messages.push(...page.messages);
    from = page.next;
  }
  return messages.slice(0, count);
}
