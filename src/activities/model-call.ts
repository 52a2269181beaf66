import { Context } from '@temporalio/activity';
import { TactusError } from '../contract/errors.js';
import type { ModelCallResult } from '../contract/model-call.js';
import { sumCallUsage } from '../contract/usage.js';
import type { ActivityDeps } from './activity-deps.js';
import { AttemptNotes } from './attempt-notes.js';
import { askModel } from './ask-model.js';
import { assertResultFits } from './assert-result-fits.js';
import { attemptSignal, isTimeout } from './attempt-signal.js';
import { heldResponse } from './background/held-response.js';
import { checkModel } from './check-model.js';
import { atEdge } from './failures.js';
import { Fault } from './fault.js';
import { withHeartbeat } from './heartbeat.js';
import { attemptPlan, underAuthority } from './model-attempts.js';
import { languageModel } from './language-model.js';
import { priced } from './model-price.js';
import { modelResult, tokensOf } from './model-result.js';
import { openedCall } from './opened-call.js';
import { prepareOutputSchema } from './output-schema.js';
import { providerFault } from './provider-fault.js';
import type { LocalRuntime } from './providers/local-runtime.js';
import { wayOf } from './providers/provider.js';
import { readSecret } from './read-secret.js';
import { createRedactor, secretsOf } from './redact.js';
import type { ServerAccess } from './server-access.js';
import { callStream } from './streaming/call-stream.js';
import type { ModelCallInput } from '../contract/activities.js';

export interface ModelCallDeps {
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
  const { call, idempotencyKey, tries } = input;
  const secrets = (): string[] => secretsOf(deps.env);
  const code = 'model_call_failed';
  const { provider, model: name } = await atEdge(
    { code, subject: call.model ?? 'default model', secrets },
    async () => checkModel(call.model, deps.env),
  );
  const subject = `${provider.name}/${name}`;
  const keyVariables = provider.key === null ? [] : (wayOf(provider.key, deps.env) ?? []);
  const [keyVariable = null] = keyVariables;

  const notes = new AttemptNotes();
  const asked = async (beat: () => void): Promise<ModelCallResult> => {
    const schema = call.outputSchema === null ? null : prepareOutputSchema(call.outputSchema);
    const signal = attemptSignal(call.settings.timeoutMs);
    const { attempt } = Context.current().info;
    const { modelType, isBackground = false } = call.settings;
    // A server that echoes what it was sent must not bring the key into history, nor to those who look on.
    const keys = keyVariables.map((variable) => readSecret(deps.env, variable) ?? '');
    const stream = callStream(deps, input, keys);
    try {
      const model = await languageModel({
        ...{ deps, local, provider, model: name, attempt },
        ...{ isStructured: schema !== null, isResponses: modelType === 'responses' },
        background: isBackground ? heldResponse({ notes, beat, signal, server }) : null,
      });
      const answer = await askModel({
        model,
        call: openedCall(call, provider.name),
        provider,
        schema,
        idempotencyKey,
        signal,
        onText: stream.onText,
      });
      const listed = `${provider.pricesName}/${answer.model}`;
      const names = [`${provider.name}/${answer.model}`, subject, listed];
      const paid = sumCallUsage(notes.spent, await priced(tokensOf(answer), names, deps.env));
      notes.pay(paid);
      beat();
      const result = modelResult(answer, provider.name, schema, call, paid);
      const told = assertResultFits(createRedactor(keys).value(result), `The answer of ${subject}`);
      await stream.answered(told);
      return told;
    } catch (error) {
      if (isTimeout(signal) && !(error instanceof TactusError))
        throw new Fault(`gave no answer within ${call.settings.timeoutMs} ms`, { retryable: true });
      const fault = providerFault(error, keyVariable);
      if (fault instanceof Fault && fault.isAnswer) {
        notes.giveUp();
        beat();
      }
      throw fault;
    }
  };
  const { modelAttempts: authority } = deps;
  const attempted = (beat: () => void): Promise<ModelCallResult> =>
    authority === undefined
      ? asked(beat)
      : underAuthority(authority, attemptPlan(input, provider.name, name), () => asked(beat));
  return atEdge({ code, subject, secrets, tries, details: () => notes.costs() }, () =>
    withHeartbeat(attempted, () => notes.details()),
  );
}
