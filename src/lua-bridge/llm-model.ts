import { digestOf } from '../contract/digest.js';
import { isObject, type JsonObject, type JsonValue } from '../contract/json.js';
import { jsonAnswer } from '../contract/json-answer.js';
import type { ModelCall, ModelCallResult } from '../contract/model-call.js';
import { outputSchema } from './agent-declaration.js';
import { agentSettings, modelOf, readModelChoice, readSettings, type ModelChoice } from './agent-settings.js';
import type { Bridge } from './bridge.js';
import { checkpointed } from './checkpointed.js';
import type { Step } from './native.js';
import type { Schema } from './schema.js';
import type { LuaState } from './vm/fengari.js';

/** What `Model {type = "llm", …}` says of the language model that it asks. */
export interface LlmModel {
  choice: ModelChoice;
  system: string | null;
  settings: ModelCall['settings'];
}

/** @throws TactusError source_invalid naming the field */
export function readLlmModel(fields: JsonObject, what: string): LlmModel {
  const { model = null, provider, system_prompt: system } = fields;
  const settings = Object.fromEntries(
    [...agentSettings, 'model'].map((name) => [name, fields[name] ?? null] as const),
  );
  return {
    choice: readModelChoice(model, typeof provider === 'string' ? provider : null, what),
    system: typeof system === 'string' ? system : null,
    settings: readSettings(settings, what),
  };
}

/**
 * One question to a language model, which stands for itself. Its words are `{response = …}`, unless an output with other
 * fields is declared: then the model is held to those.
 */
export function* askLlm(
  bridge: Bridge,
  L: LuaState,
  { choice, system, settings }: LlmModel,
  name: string,
  input: JsonValue,
  output: Schema | null,
): Generator<Step, JsonValue, unknown> {
  const isSaid = output?.kind !== 'fields' || Object.hasOwn(output.fields, 'response');
  const call: ModelCall = {
    agent: name,
    model: modelOf(choice, bridge.declared),
    system,
    messages: [{ role: 'user', content: typeof input === 'string' ? input : JSON.stringify(input) }],
    tools: [],
    outputSchema: isSaid ? null : outputSchema(output),
    settings,
  };
  const spec = { type: 'model_predict', name, input, digest: digestOf(input) } as const;
  return yield* checkpointed(bridge, L, spec, function* () {
    const effect = { kind: 'model_call', call } as const;
    const { text } = (yield { effect: { type: 'model_call', name, effect } }) as ModelCallResult;
    const given = jsonAnswer(text);
    if (!isSaid) return given ?? text;
    const said = isObject(given ?? undefined) ? (given as JsonObject)['response'] : undefined;
    return { response: typeof said === 'string' ? said : text };
  });
}
