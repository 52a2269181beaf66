import { Context } from '@temporalio/activity';
import type { ModelCallInput } from '../../contract/activities.js';
import { TactusError } from '../../contract/errors.js';
import {
  sumCallUsage,
  type CallUsage,
  type ModelCall,
  type ModelCallResult,
} from '../../contract/models/model-call.js';
import type { ActivityDeps } from '../activity-deps.js';
import { askModel } from './ask-model.js';
import { attemptSignal, isTimeout } from '../retries/abort-signals.js';
import { fitToProvider, idsIn, rulesOf } from './conversation.js';
import { thinkerOf, thoughtsIn } from './reasoning.js';
import type { CallNotes } from './attempt-notes.js';
import type { HeldResponse } from './background-response.js';
import type { ModelChoice } from './check-model.js';
import { assertResultFits, Fault } from '../retries/failures.js';
import { languageModel } from './language-model.js';
import { attemptPlan, underAuthority } from './model-attempts.js';
import { modelResult, withPrice, tokensOf, type Answer } from './model-result.js';
import { prepareOutputSchema } from './output-schema.js';
import { providerFault } from './provider-fault.js';
import { sentTools } from './provider-tools.js';
import type { LocalRuntime } from './providers/local-runtime.js';
import { wayOf } from './providers/provider.js';
import { createRedactor, readSecret } from '../secrets/secrets.js';
import { callStream } from './call-stream.js';

export interface AnswerUse extends ModelChoice {
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
    ? asked(use)
    : underAuthority(authority, attemptPlan(input, provider.name, model), () => asked(use));
}

async function asked(use: AnswerUse): Promise<ModelCallResult> {
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
    const paid = sumCallUsage(notes.spent, discounted(price, priceShare));
    notes.pay(paid);
    beat();
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
