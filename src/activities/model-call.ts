import { Context } from '@temporalio/activity';
import { TactusError } from '../contract/errors.js';
import type { JsonObject } from '../contract/json.js';
import type { ModelCallResult } from '../contract/model-call.js';
import { sumCallUsage } from '../contract/usage.js';
import type { ActivityDeps } from './activity-deps.js';
import { askModel } from './ask-model.js';
import { assertResultFits } from './assert-result-fits.js';
import { attemptSignal, isTimeout } from './attempt-signal.js';
import { checkModel } from './check-model.js';
import { atEdge } from './failures.js';
import { Fault } from './fault.js';
import { withHeartbeat } from './heartbeat.js';
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
import { spentBefore } from './spent.js';
import { callStream } from './streaming/call-stream.js';
import type { ModelCallInput } from '../contract/activities.js';

/**
 * Asks a language model once. Temporal retries: nothing in here does, and no tool is performed in here.
 * @throws ApplicationFailure of type model_call_failed, missing_key, missing_package, unknown_model or payload_too_large
 */
export async function modelCall(
  deps: ActivityDeps,
  local: LocalRuntime | null,
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

  // What was paid for, by this attempt too: the next one, or whoever hears of the failure, counts it.
  let spent = spentBefore();
  const details = (): JsonObject => (spent === null ? {} : { spent: { ...spent } });
  return atEdge({ code, subject, secrets, tries, details }, () =>
    withHeartbeat(async (beat) => {
      const schema = call.outputSchema === null ? null : prepareOutputSchema(call.outputSchema);
      const signal = attemptSignal(call.settings.timeoutMs);
      const { attempt } = Context.current().info;
      const { modelType } = call.settings;
      // A server that echoes what it was sent must not bring the key into history, nor to those who look on.
      const keys = keyVariables.map((variable) => readSecret(deps.env, variable) ?? '');
      const stream = callStream(deps, input, keys);
      try {
        const model = await languageModel({
          ...{ deps, local, provider, model: name, attempt },
          ...{ isStructured: schema !== null, isResponses: modelType === 'responses' },
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
        spent = sumCallUsage(spent, await priced(tokensOf(answer), names, deps.env));
        beat();
        const result = modelResult(answer, provider.name, schema, call, spent);
        const told = assertResultFits(createRedactor(keys).value(result), `The answer of ${subject}`);
        await stream.answered(told);
        return told;
      } catch (error) {
        if (isTimeout(signal) && !(error instanceof TactusError))
          throw new Fault(`gave no answer within ${call.settings.timeoutMs} ms`, { retryable: true });
        throw providerFault(error, keyVariable);
      }
    }, details),
  );
}
