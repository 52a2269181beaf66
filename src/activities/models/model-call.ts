import { Context } from '@temporalio/activity';
import type { ContinuedCallInput, ModelCallInput } from '../../contract/activities.js';
import { TactusError } from '../../contract/errors.js';
import {
  sumCallUsage,
  type CallUsage,
  type Message,
  type ModelCall,
  type ModelCallResult,
} from '../../contract/models/model-call.js';
import type { ActivityDeps } from '../activity-deps.js';
import { heldResponse, type HeldResponse } from './background-response.js';
import { checkModel, type ModelChoice } from './providers/index.js';
import { askModel } from './ask-model.js';
import { fitToProvider, idsIn, rulesOf } from './conversation.js';
import { sentTools, thinkerOf, thoughtsIn } from './provider-options.js';
import { languageModel } from './language-model.js';
import { attemptPlan, underAuthority } from './model-attempts.js';
import { modelResult, tokensOf, withPrice, type Answer } from './model-result.js';
import { prepareOutputSchema } from './output-schema.js';
import { providerFault } from './provider-fault.js';
import { callStream } from './call-stream.js';
import { assertResultFits, atEdge, attemptSignal, Fault, isTimeout } from '../retries/failures.js';
import { AttemptNotes, withHeartbeat, type CallNotes } from '../retries/heartbeat.js';
import type { LocalRuntime } from './providers/local-runtime.js';
import { wayOf } from './providers/provider.js';
import { createRedactor, readSecret, secretsOf } from '../secrets/secrets.js';
import type { ConversationReader, ServerAccess } from '../runs/look-at-runs.js';
import { conversationChain, isShort } from '../../contract/agents/conversation.js';
import { jsonSize } from '../../contract/json/json.js';

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
    const bytes = jsonSize(added);
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

interface AnswerUse extends ModelChoice {
  deps: ActivityDeps;
  /** The local model, where it is installed. */
  local: LocalRuntime | null;
  input: ModelCallInput;
  notes: CallNotes;
  /** The notes have changed. */
  beat: () => void;
  /** Makes the response in the background; left out: it is waited for. */
  background?: (signal: AbortSignal) => HeldResponse;
  /** What of its price is paid, from 0 to 1. */
  priceShare?: number;
}

/**
 * One attempt at a call, where the worker's host has nothing against it.
 * @throws Fault; TactusError model_call_failed, unknown_model, missing_key, payload_too_large, outcome_unknown
 */
export function answerCall(use: AnswerUse): Promise<ModelCallResult> {
  const { deps, input, provider, model } = use;
  const { modelAttempts: authority } = deps;
  return authority === undefined
    ? callProvider(use)
    : underAuthority(authority, attemptPlan(input, provider.name, model), () => callProvider(use));
}

async function callProvider(use: AnswerUse): Promise<ModelCallResult> {
  const { deps, local, provider, model: name, input, notes, beat, background, priceShare = 1 } = use;
  const { call, idempotencyKey } = input;
  const subject = `${provider.name}/${name}`;
  const keyVariables = provider.key === null ? [] : (wayOf(provider.key, deps.env) ?? []);
  const [keyVariable = null] = keyVariables;
  const schema = call.outputSchema === null ? null : prepareOutputSchema(call.outputSchema);
  const signal = attemptSignal(call.settings.timeoutMs);
  const { attempt } = Context.current().info;
  // A server that echoes what it was sent must not bring the key into history, nor to those who look on.
  const keys = keyVariables.map((variable) => readSecret(deps.env, variable) ?? '');
  const stream = callStream(deps, input, keys);
  const { sent, withheld } = sentTools(call, provider.name, deps.toolPolicy);
  try {
    const model = await languageModel({
      ...{ deps, local, provider, model: name, attempt, callIds: idsIn(call.messages) },
      ...{ isStructured: schema !== null, isResponses: call.settings.modelType === 'responses' },
      background: background?.(signal) ?? null,
    });
    const thinker = thinkerOf(provider.name, name, call);
    const answer = await askModel({
      model,
      thinker,
      call: fitToProvider(call, rulesOf(provider.name, name, provider.rules(deps.env))),
      provider,
      providerTools: sent,
      schema,
      idempotencyKey,
      signal,
      onText: stream.onText,
    });
    const listed = `${provider.pricesName}/${answer.model}`;
    const names = [`${provider.name}/${answer.model}`, subject, listed];
    const price = await withPrice(tokensOf(answer), names, deps.env);
    const own = discounted(price, priceShare);
    const paid = sumCallUsage(notes.spent, own);
    notes.pay(paid);
    beat();
    await deps.tenantBudgets?.count(input.holds?.tenant, [own], subject);
    const result = {
      ...modelResult(answer, provider.name, schema, call, paid),
      ...kept(call, answer, thinker),
      ...withheld,
    };
    const told = assertResultFits(createRedactor(keys).value(result), `The answer of ${subject}`);
    await stream.answered(told);
    return told;
  } catch (error) {
    // A worker that shuts down, and an attempt that is over, leave it to the next one, which says that it begins anew.
    if (Context.current().cancellationDetails?.cancelRequested === true) await stream.interrupted();
    if (isTimeout(signal) && !(error instanceof TactusError))
      throw new Fault(`gave no answer within ${call.settings.timeoutMs} ms`, { retryable: true });
    const fault = providerFault(error, keyVariable);
    if (fault instanceof Fault && fault.isAnswer) {
      notes.giveUp();
      beat();
    }
    throw fault;
  }
}

/** What is kept by the provider (in the background) it has itself. */
function kept(
  { keepsThoughts, settings }: ModelCall,
  answer: Answer,
  by: string,
): Pick<ModelCallResult, 'thoughts'> {
  const isKept = keepsThoughts === true && settings.isBackground !== true;
  const thoughts = isKept ? thoughtsIn(answer.content, by) : null;
  return thoughts === null ? {} : { thoughts };
}

function discounted(usage: CallUsage, share: number): CallUsage {
  const { input_usd: input, output_usd: output } = usage;
  return {
    ...usage,
    ...(input === undefined ? {} : { input_usd: input * share }),
    ...(output === undefined ? {} : { output_usd: output * share }),
  };
}
