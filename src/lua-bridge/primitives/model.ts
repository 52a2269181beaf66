import { digestOf } from '../../contract/digest.js';
import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json.js';
import type { Prediction, PredictionResult } from '../../contract/prediction.js';
import { native, type Bridge } from '../kernel/bridge.js';
import { recorded } from '../checkpoints/checkpointed.js';
import { readDuration } from '../../contract/duration.js';
import { readRetry } from '../values/retry-policy.js';
import { globalNameOf, handleAt, pushHandle, setLibrary, type HandleType } from '../vm/handle.js';
import { pushJson, toJson } from '../values/marshal.js';
import { askLlm, readLlmModel } from '../models/llm-model.js';
import { declaredModels, type ModelDeclaration } from '../models/model-declaration.js';
import { mocks } from '../mocks/mocks.js';
import { modelTypes } from '../models/model-types.js';
import type { Native, Step } from '../scheduler/native.js';
import { setOlderGlobal } from '../procedures/older-global.js';
import { checkValue, readSchema, type Schema } from '../values/schema.js';
import { lauxlib, literal, lua, toText, type CFunction, type LuaState } from '../vm/fengari.js';

/** `m = Model {type = "http", …}`, `Model "name" {…}`; `m(x)`, `m.predict(x)`; `Model("name")(x)`. */
export function openModel(bridge: Bridge): void {
  const type: HandleType = { name: 'model', index: () => 0 };
  type.call = native(
    bridge,
    predict(bridge, (L) => ({ model: handleAt(L, 1, type) as ModelDeclaration, argument: 2 })),
  );
  type.index = (L, held, key) => {
    if (key !== 'predict') return 0;
    lua.lua_pushcfunction(
      L,
      native(
        bridge,
        predict(bridge, () => ({ model: held as ModelDeclaration, argument: 1 })),
      ),
    );
    return 1;
  };
  setLibrary(bridge.L, 'Model', {}, declare(bridge, type, false));
  setLibrary(bridge.L, 'model', {}, declare(bridge, type, true));
}

function declare(bridge: Bridge, type: HandleType, raw: boolean): CFunction {
  const add = (L: LuaState, name: string | null, config: number, isOlder: boolean): number => {
    const model = bridge.scheduler.notes.guard(L, () =>
      readModel(bridge, { name, raw, config: toJson(L, config) }),
    );
    declaredModels.add(bridge, model);
    pushHandle(L, type, model);
    if (isOlder && name !== null) setOlderGlobal(L, name);
    return 1;
  };
  return (L) => {
    if (lua.lua_type(L, 2) === lua.LUA_TTABLE) return add(L, null, 2, false);
    const name = toText(L, 2) ?? lauxlib.luaL_argerror(L, 1, literal('a name or a table expected'));
    if (lua.lua_type(L, 3) === lua.LUA_TTABLE) return add(L, name, 3, raw);
    const known = declaredModels.of(bridge).find((each) => (each.name ?? globalNameOf(L, each)) === name);
    if (known !== undefined) {
      pushHandle(L, type, known);
      return 1;
    }
    lua.lua_pushcfunction(L, (thread) => {
      lauxlib.luaL_checktype(thread, 1, lua.LUA_TTABLE);
      return add(thread, name, 1, false);
    });
    return 1;
  };
}

/** @throws TactusError source_invalid, unknown_model */
function readModel(
  bridge: Bridge,
  { name, raw, config }: { name: string | null; raw: boolean; config: JsonValue },
): ModelDeclaration {
  const what = `Model${name === null ? '' : ` "${name}"`}`;
  const fields: JsonObject = isObject(config) ? config : {};
  const schema = (key: string): Schema | null => {
    const declared = fields[key] ?? null;
    return declared === null ? null : readSchema(declared, `${what}: ${key}`);
  };
  const { type = null } = fields;
  if (typeof type !== 'string' || !modelTypes.includes(type))
    throw new TactusError(
      'unknown_model',
      `${what}: the type ${JSON.stringify(type)} is not known; "http", "llm" and "mock" are`,
    );
  const backend = readBackend(fields, what, bridge.holds('retry-time'));
  const llm = type === 'llm' ? readLlmModel(bridge, fields, what) : null;
  return { name, raw, type, backend, llm, input: schema('input'), output: schema('output') };
}

function readBackend(fields: JsonObject, what: string, isTimed: boolean): Prediction['backend'] | null {
  const { type, endpoint, headers, timeout } = fields;
  if (type === 'mock') return { type, value: fields['value'] ?? null };
  if (type !== 'http') return null;
  if (typeof endpoint !== 'string' || !/^https?:\/\//.test(endpoint))
    throw new TactusError('source_invalid', `${what}: endpoint must be an http or https address`);
  const retry = readRetry(fields, what, 'source_invalid', isTimed);
  return {
    type,
    endpoint,
    timeoutMs: readDuration(timeout ?? 30, `${what}: timeout`, 'source_invalid'),
    headers: isObject(headers) ? headers : {},
    ...(retry === null ? {} : { retry }),
  };
}

function predict(
  bridge: Bridge,
  find: (L: LuaState) => { model: ModelDeclaration; argument: number },
): Native {
  return function* (L) {
    const { model, argument } = find(L);
    const given: JsonValue = lua.lua_isnoneornil(L, argument) ? null : toJson(L, argument);
    const check = { code: 'predict_failed', unknown: 'keep', requireAll: true } as const;
    const input = model.input === null ? given : checkInput(model.input, given);
    model.name ??= globalNameOf(bridge.L, model) ?? `model_${declaredModels.of(bridge).indexOf(model) + 1}`;
    const answer = yield* ask(bridge, L, model, model.name, input);
    const output = model.output === null ? answer.output : checkValue(model.output, answer.output, check);
    pushJson(L, model.raw ? output : { output, cost: answer.cost });
    return 1;
  };
}

/** Asks the model, or its mock. */
function* ask(
  bridge: Bridge,
  L: LuaState,
  { type, backend, llm, output: declared }: ModelDeclaration,
  name: string,
  input: JsonValue,
): Generator<Step, PredictionResult, unknown> {
  const unwritten = backend?.type === 'mock' ? null : mocks.of(bridge).prediction(name, declared);
  const isSaid = llm !== null && declared === null && unwritten !== null;
  const mocked =
    mocks.of(bridge).result(name, input, 'predict_failed') ??
    (isSaid ? { value: { response: unwritten.value } } : unwritten);
  if (mocked === null) {
    if (llm !== null) return { output: yield* askLlm(bridge, L, llm, name, input, declared), cost: null };
    if (backend === null)
      throw new TactusError(
        'predict_failed',
        `models of the type "${type}" don't run here: serve ${name} by HTTP, and declare it with type = "http"`,
      );
    const effect = { kind: 'predict', prediction: { model: name, backend, input } } as const;
    return (yield { effect: { type: 'model_predict', name, effect } }) as PredictionResult;
  }
  const spec = { type: 'model_predict', name, input, digest: digestOf(input) } as const;
  const output = yield* recorded(bridge, L, spec, () => mocked.value);
  return { output, cost: null };
}

/** Declared inputs are all wanted: a model that gets less answers nonsense. */
function checkInput(schema: Schema, given: JsonValue): JsonValue {
  if (schema.kind === 'fields')
    for (const [name, field] of Object.entries(schema.fields))
      field.required = field.default === undefined && name !== '';
  return checkValue(schema, given, { code: 'predict_failed', unknown: 'keep', requireAll: true });
}
