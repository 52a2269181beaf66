import { Context } from '@temporalio/activity';
import type { ContinuedCallInput, ModelCallInput } from '../../contract/activities.js';
import { conversationChain, isShort } from '../../contract/agents/conversation-chain.js';
import type { Message, ModelCallResult } from '../../contract/models/model-call.js';
import type { ConversationCache } from './conversation-cache.js';
import { atEdge } from '../retries/failures.js';
import { Fault } from '../retries/fault.js';
import { withHeartbeat } from '../retries/heartbeat.js';
import { modelCall, type ModelCallDeps } from './model-call.js';
import { secretsOf } from '../secrets/redact.js';
import type { ConversationReader } from '../runs/server-access.js';

/**
 * Asks a language model with what is new of a conversation, and the beginning that this worker has kept, or asks the run for.
 * @throws ApplicationFailure as `modelCall` does; of type model_call_failed where the beginning can't be had
 */
export async function continuedModelCall(
  use: ContinuedDeps,
  input: ContinuedCallInput,
): Promise<ModelCallResult> {
  const { call, tries } = input;
  const secrets = (): string[] => secretsOf(use.deps.env);
  const edge = { code: 'model_call_failed', subject: call.agent, secrets, tries } as const;
  return modelCall(use, await atEdge(edge, () => withHeartbeat(() => wholeCall(use, input))));
}

export interface ContinuedDeps extends ModelCallDeps {
  cache: ConversationCache;
  read: ConversationReader;
}

/**
 * The call with all of its messages.
 * @throws Fault where the beginning can't be had
 */
export async function wholeCall(
  { cache, read }: ContinuedDeps,
  input: ModelCallInput | ContinuedCallInput,
): Promise<ModelCallInput> {
  if (!('prefix' in input)) {
    const { messages } = input.call;
    // No run will ask to go on from a short one.
    if (!isShort(messages)) cache.keep([], messages);
    return input;
  }
  const { prefix, position, ...rest } = input;
  const { call } = rest;
  const before = cache.get(prefix.digest) ?? (await fetched(read, prefix, position));
  const messages = [...cache.keep(before, call.messages, prefix.digest)];
  return { ...rest, call: { ...call, messages } };
}

async function fetched(
  read: ConversationReader,
  { digest, count }: ContinuedCallInput['prefix'],
  position: string,
): Promise<Message[]> {
  const { workflowExecution } = Context.current().info;
  const { workflowId: runId = '', runId: executionId = '' } = workflowExecution ?? {};
  const messages = await read({ runId, executionId, position }, count).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Fault(`what was said before can't be had from the run: ${reason}`, { retryable: true });
  });
  if (conversationChain(messages).at(-1) !== digest)
    throw new Fault('what was said before is something else in the run', { retryable: true });
  return messages;
}
