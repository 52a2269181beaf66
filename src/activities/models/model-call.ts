import { Context } from '@temporalio/activity';
import type { ContinuedCallInput, ModelCallInput } from '../../contract/activities.js';
import type { Message, ModelCallResult } from '../../contract/models/model-call.js';
import type { ActivityDeps } from '../activity-deps.js';
import { answerCall } from './answer-call.js';
import { AttemptNotes } from './attempt-notes.js';
import { heldResponse } from './background-response.js';
import { checkModel } from './check-model.js';
import { atEdge, Fault } from '../retries/failures.js';
import { withHeartbeat } from '../retries/heartbeat.js';
import type { LocalRuntime } from './providers/local-runtime.js';
import { secretsOf } from '../secrets/secrets.js';
import type { ConversationReader, ServerAccess } from '../runs/server-access.js';
import { conversationChain, isShort } from '../../contract/agents/conversation.js';
import { jsonSize, type JsonValue } from '../../contract/json/json.js';

interface ModelCallDeps {
  deps: ActivityDeps;
  /** The local model, where it is installed. */
  local: LocalRuntime | null;
  server: ServerAccess;
}

/**
 * Asks a language model once. Temporal retries: nothing in here does, and no tool is performed in here.
 * @throws ApplicationFailure of type model_call_failed, missing_key, missing_package, unknown_model or payload_too_large
 */
export async function modelCall(
  { deps, local, server }: ModelCallDeps,
  input: ModelCallInput,
): Promise<ModelCallResult> {
  const { call, tries } = input;
  const secrets = (): string[] => secretsOf(deps.env);
  const code = 'model_call_failed';
  const choice = await atEdge({ code, subject: call.model ?? 'default model', secrets }, async () =>
    checkModel(call.model, deps.env),
  );
  const subject = `${choice.provider.name}/${choice.model}`;
  const notes = new AttemptNotes();
  const attempted = (beat: () => void): Promise<ModelCallResult> =>
    answerCall({
      ...{ ...choice, deps, local, input, notes, beat },
      ...(call.settings.isBackground === true
        ? { background: (signal) => heldResponse({ notes, beat, signal, server }) }
        : {}),
    });
  return atEdge({ code, subject, secrets, tries, details: () => notes.costs() }, () =>
    withHeartbeat(attempted, () => notes.details()),
  );
}

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

/** Messages are shared among the beginnings that have them: counted is what each has added. */
const mostBytes = 128 * 1024 * 1024;
const mostKept = 5_000;

interface Kept {
  messages: readonly Message[];
  bytes: number;
}

/** Conversations that this worker has sent to models, by the digest of their chain; those that weren't needed for long are dropped. */
export class ConversationCache {
  private readonly kept = new Map<string, Kept>();
  private bytes = 0;

  get(digest: string): readonly Message[] | null {
    const found = this.kept.get(digest);
    if (found === undefined) return null;
    // The youngest is at the end.
    this.kept.delete(digest);
    this.kept.set(digest, found);
    return found.messages;
  }

  /** Keeps `before` with what was added to it; `digest` is that of `before`. Gives all of it. */
  keep(before: readonly Message[], added: readonly Message[], digest = ''): readonly Message[] {
    const messages = [...before, ...added];
    const whole = conversationChain(added, digest).at(-1);
    if (whole === undefined || this.kept.has(whole)) return messages;
    const bytes = jsonSize(added as unknown as JsonValue);
    this.kept.set(whole, { messages, bytes });
    this.bytes += bytes;
    for (const [oldest, { bytes: its }] of this.kept) {
      if (this.bytes <= mostBytes && this.kept.size <= mostKept) break;
      this.kept.delete(oldest);
      this.bytes -= its;
    }
    return messages;
  }
}
