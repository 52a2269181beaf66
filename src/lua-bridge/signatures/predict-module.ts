import { digestOf } from '../../contract/effects/digest.js';
import { TactusError } from '../../contract/errors.js';
import { getOwn, isObject, setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { Message, ModelCall, ModelCallResult } from '../../contract/models/model-call.js';
import { recorded } from '../checkpoints/checkpointed.js';
import {
  checkValue,
  fieldSchema,
  handleAt,
  lua,
  tableAt,
  toJson,
  toText,
  weigh,
  type Bridge,
  type Field,
  type Fields,
  type HandleType,
  type LuaState,
  type Step,
} from '../kernel/index.js';
import { mocks } from '../mocks/mocks.js';
import { askForPrediction, parseAnswer } from '../models/model-call.js';
import { askedModels } from '../models/model-choice.js';
import { History, isSaid, modelOfModule, outputsOf, type ModuleDeclaration } from './module-declaration.js';
import type { Signature } from './signature.js';

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

/** What a module is called with. */
interface GivenInputs {
  /** All of it as data, what was said before too. */
  values: JsonObject;
  /** The inputs that were given as a `History`. */
  histories: readonly string[];
}

/**
 * Reads the table at `index`, in which inputs may be histories.
 * @param what is called, for the error
 * @throws TactusError predict_failed where it is no table of inputs; value_not_json
 */
export function givenInputs(L: LuaState, index: number, type: HandleType, what: string): GivenInputs {
  const top = lua.lua_gettop(L);
  const found = tableAt(L, index) === null ? [] : takeHistories(L, index, type);
  const given = toJson(L, found.length === 0 ? index : -1);
  lua.lua_settop(L, top);
  const values = readTable(given, what);
  for (const [name, history] of found) {
    weigh(L, history.length);
    setOwn(values, name, history.messages);
  }
  return { values, histories: found.map(([name]) => name) };
}

/** Those at names, and on top of the stack a copy of the table without them. */
function takeHistories(L: LuaState, index: number, type: HandleType): [string, History][] {
  const found: [string, History][] = [];
  lua.lua_createtable(L, 0, 0);
  const copy = lua.lua_gettop(L);
  lua.lua_pushnil(L);
  while (lua.lua_next(L, index)) {
    const history = handleAt(L, -1, type);
    const name = lua.lua_type(L, -2) === lua.LUA_TSTRING ? toText(L, -2) : null;
    if (history instanceof History && name !== null) {
      found.push([name, history]);
      lua.lua_pop(L, 1);
      continue;
    }
    lua.lua_pushvalue(L, -2);
    lua.lua_insert(L, -2);
    lua.lua_rawset(L, copy);
  }
  return found;
}

function readTable(given: JsonValue, what: string): JsonObject {
  if (isObject(given)) return given;
  if (Array.isArray(given) && given.length === 0) return {};
  throw new TactusError('predict_failed', `${what} takes a table of its inputs, as { question = "…" }`);
}

/** What the model is told of the fields, in the words that DSPy has for it. */
function systemPrompt({ instructions, output }: Signature, inputs: Fields, outputs: Fields): string {
  const objective = instructions ?? `Given the fields ${named(inputs)}, produce the fields ${named(output)}.`;
  return [
    ...(Object.keys(inputs).length === 0 ? [] : [`Your input fields are:\n${listed(inputs)}`]),
    `Your output fields are:\n${listed(outputs)}`,
    'Each input stands below its name. Answer with a JSON object of the output fields, in their order.',
    `Your objective is: ${objective}`,
  ].join('\n\n');
}

function questionText(inputs: Fields, values: JsonObject, outputs: Fields): string {
  const asked = `Respond with a JSON object with the fields ${named(outputs)}.`;
  return [...inputTexts(inputs, values), asked].join('\n\n');
}

/** Each input below its name. */
function inputTexts(inputs: Fields, values: JsonObject): string[] {
  return Object.keys(inputs).flatMap((name) => {
    const value = getOwn(values, name) ?? null;
    return value === null ? [] : [`[[ ## ${name} ## ]]\n${valueText(value)}`];
  });
}

/**
 * What was said before, as messages: those with a role as they are, and the fields of an earlier prediction as a question
 * and its answer. A text has a line for each, as `User: …` and `Assistant: …`. What tools said is left out: their calls
 * aren't there.
 */
function turnsBefore(said: JsonValue, inputs: Fields, outputs: Fields): Message[] {
  if (typeof said === 'string') return said.split('\n').flatMap(spokenLine);
  if (!Array.isArray(said)) return [];
  return said.filter(isObject).flatMap((message): Message[] => {
    if (isSaid(message)) return spoken(message);
    const given = Object.entries(message).filter(([name]) => Object.hasOwn(outputs, name));
    return [
      { role: 'user', content: inputTexts(inputs, message).join('\n\n') },
      { role: 'assistant', content: JSON.stringify(Object.fromEntries(given)) },
    ];
  });
}

function spoken({ role, content = null }: JsonObject): Message[] {
  if (role !== 'system' && role !== 'user' && role !== 'assistant') return [];
  return [{ role, content: valueText(content) }];
}

function spokenLine(line: string): Message[] {
  const [, who, content = ''] = /^(User|Assistant): (.*)$/.exec(line) ?? [];
  return who === undefined ? [] : [{ role: who === 'User' ? 'user' : 'assistant', content }];
}

/** A text as it is, anything else as JSON. */
function valueText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function listed(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, field], i) => {
      const { description } = field;
      return `${i + 1}. \`${name}\` (${typeText(field)})${description === undefined ? '' : `: ${description}`}`;
    })
    .join('\n');
}

function typeText({ type, enum: allowed, items }: Field): string {
  if (allowed !== undefined) return `one of ${allowed.map(valueText).join(', ')}`;
  return items === undefined ? type : `${type} of ${typeText(items)}`;
}

function named(fields: Fields): string {
  return Object.keys(fields)
    .map((name) => `\`${name}\``)
    .join(', ');
}
