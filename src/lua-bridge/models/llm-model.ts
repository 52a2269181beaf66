import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { jsonAnswer, type ModelCall, type ModelCallResult } from '../../contract/models/model-call.js';
import { askForPrediction, parseAnswer } from './model-call.js';
import {
  agentSettings,
  askedModels,
  readModelChoice,
  readSettings,
  settingsWith,
  type ModelChoice,
} from './model-choice.js';
import {
  fieldSchema,
  toJsonSchema,
  type Bridge,
  type LuaState,
  type Schema,
  type Step,
} from '../kernel/index.js';

/** What `Model {type = "llm", …}` says of the language model that it asks. */
export interface LlmModel {
  choice: ModelChoice;
  system: string | null;
  settings: ModelCall['settings'];
}

/** @throws TactusError source_invalid naming the field */
export function readLlmModel(bridge: Bridge, fields: JsonObject, what: string): LlmModel {
  const { model = null, provider, system_prompt: system } = fields;
  const settings = Object.fromEntries(
    [...agentSettings(bridge), 'model'].map((name) => [name, fields[name] ?? null] as const),
  );
  return {
    choice: readModelChoice(bridge, model, typeof provider === 'string' ? provider : null, what),
    system: typeof system === 'string' ? system : null,
    settings: readSettings(bridge, settings, what),
  };
}

/**
 * One question to a language model, which stands for itself. Its words are `{response = …}`, unless another output than
 * that is declared: then the model is held to it.
 */
export function* askLlm(
  bridge: Bridge,
  L: LuaState,
  { choice, system, settings }: LlmModel,
  name: string,
  input: JsonValue,
  output: Schema | null,
): Generator<Step, JsonValue, unknown> {
  const isSaid = output === null || isResponse(output);
  const models = askedModels(bridge, choice, name);
  const call = {
    agent: name,
    system,
    messages: [{ role: 'user' as const, content: typeof input === 'string' ? input : JSON.stringify(input) }],
    tools: [],
    outputSchema: isSaid ? null : schemaOf(output),
    settings: settingsWith(bridge, choice, settings),
  };
  const read = isSaid ? saidIn : parseAnswer;
  return yield* askForPrediction(bridge, L, { name, input, call, models, read });
}

/** Its words, bare or as the JSON that says so. */
function saidIn({ text }: ModelCallResult): JsonObject {
  const given = jsonAnswer(text);
  const said = given !== null && isObject(given) ? given['response'] : null;
  return { response: typeof said === 'string' ? said : text };
}

/** Whether it is what a model gives anyway: `{response = "string"}`. */
function isResponse(output: Schema): boolean {
  if (output.kind !== 'fields') return false;
  return Object.entries(output.fields).every(([name, { type }]) => name === 'response' && type === 'string');
}

function schemaOf(output: Schema): JsonObject {
  return output.kind === 'fields' ? toJsonSchema(output.fields) : fieldSchema(output.field);
}
