import { digestOf } from '../../contract/effects/digest.js';
import { setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { Message, ModelCall, ModelCallResult } from '../../contract/models/model-call.js';
import { recorded } from '../checkpoints/checkpointed.js';
import type { Bridge } from '../kernel/bridge.js';
import { mocks } from '../mocks/mocks.js';
import { askForPrediction, parseAnswer } from '../models/model-call.js';
import { askedModels } from '../models/model-choice.js';
import type { Step } from '../scheduler/native.js';
import { checkValue, fieldSchema, type Field, type Fields } from '../values/schema.js';
import type { LuaState } from '../vm/fengari.js';
import type { GivenInputs } from './given-inputs.js';
import { modelOfModule, outputsOf, type ModuleDeclaration } from './module-declaration.js';
import { questionText, systemPrompt, turnsBefore, valueText } from './module-prompt.js';

/** What a module is called with, looked at. */
interface CheckedInputs {
  /** As the log keeps it: declared inputs with their defaults, and what was said before. */
  values: JsonObject;
  /** Inputs that the question is made of. */
  asked: Fields;
  before: Message[];
}

/**
 * What a module predicts, or its mock: the output fields by name.
 * @throws TactusError predict_failed where an input is missing, or has another type; model_call_failed, budget_exhausted
 */
export function* predictModule(
  bridge: Bridge,
  L: LuaState,
  module: ModuleDeclaration,
  name: string,
  given: GivenInputs,
): Generator<Step, JsonValue, unknown> {
  const outputs = outputsOf(module);
  const inputs = checkInputs(module, outputs, given);
  const { values: input } = inputs;
  const unwritten = mocks.of(bridge).prediction(name, { kind: 'fields', fields: outputs });
  const mocked = mocks.of(bridge).result(name, input, 'predict_failed') ?? unwritten;
  if (mocked !== null) {
    const spec = { type: 'model_predict', name, input, digest: digestOf(input) } as const;
    return yield* recorded(bridge, L, spec, () => checkOutputs(outputs, mocked.value, false));
  }
  const { choice, settings } = modelOfModule(bridge, module);
  const models = askedModels(bridge, choice, name);
  const isRaw = module.strategy === 'raw';
  const question = isRaw ? askRaw(inputs) : askForFields(module, outputs, inputs);
  const call = { agent: name, tools: [], settings, ...question };
  const read = (answer: ModelCallResult): JsonValue =>
    isRaw ? { response: answer.text } : checkOutputs(outputs, parseAnswer(answer), true);
  return yield* askForPrediction(bridge, L, { name, input, call, models, read });
}

function checkInputs(
  { signature, strategy }: ModuleDeclaration,
  outputs: Fields,
  { values, histories }: GivenInputs,
): CheckedInputs {
  const earlier = new Set([...signature.histories, ...histories]);
  if (strategy === 'raw') earlier.add('history');
  const asked = Object.fromEntries(Object.entries(signature.input).filter(([name]) => !earlier.has(name)));
  const options = { code: 'predict_failed', unknown: 'drop', requireAll: true } as const;
  const checked = checkValue({ kind: 'fields', fields: takenAsText(asked) }, values, options) as JsonObject;
  const said = Object.entries(values).filter(([name]) => earlier.has(name));
  return {
    values: { ...checked, ...Object.fromEntries(said) },
    asked,
    before: said.flatMap(([, messages]) => turnsBefore(messages, asked, outputs)),
  };
}

/** A model reads any value as text. */
function takenAsText(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const isText = field.type === 'string' && field.enum === undefined;
      return [name, isText ? { ...field, type: 'any' } : field];
    }),
  );
}

function checkOutputs(fields: Fields, given: JsonValue, requireAll: boolean): JsonValue {
  const unknown = requireAll ? 'drop' : 'keep';
  return checkValue({ kind: 'fields', fields }, given, { code: 'predict_failed', unknown, requireAll });
}

type Asked = Pick<ModelCall, 'system' | 'messages' | 'outputSchema'>;

function askForFields(
  { signature }: ModuleDeclaration,
  outputs: Fields,
  { values, asked, before }: CheckedInputs,
): Asked {
  return {
    system: systemPrompt(signature, asked, outputs),
    messages: [...before, { role: 'user', content: questionText(asked, values, outputs) }],
    outputSchema: outputsSchema(outputs),
  };
}

/** The words that it is given, and nothing else. */
function askRaw({ values, before }: CheckedInputs): Asked {
  const { system_prompt: system = '', user_message: asked = '' } = values;
  return {
    system: system === '' || system === null ? null : valueText(system),
    messages: [...before, { role: 'user', content: valueText(asked) }],
    outputSchema: null,
  };
}

/**
 * The outputs as JSON Schema, in their order. Providers hold a model best to what has all its fields, so that one that
 * needn't be there is null.
 */
function outputsSchema(outputs: Fields): JsonObject {
  const properties: JsonObject = {};
  for (const [name, field] of Object.entries(outputs)) setOwn(properties, name, outputSchema(field));
  return { type: 'object', properties, required: Object.keys(outputs), additionalProperties: false };
}

function outputSchema(field: Field): JsonObject {
  const schema = fieldSchema(field);
  const { type, enum: allowed } = schema;
  if (field.required || type === undefined) return schema;
  return {
    ...schema,
    type: [type, 'null'].flat(),
    ...(Array.isArray(allowed) ? { enum: [...allowed, null] } : {}),
  };
}
