import { TactusError } from '../../contract/errors.js';
import { defined, getOwn, isObject, type JsonValue } from '../../contract/json/json.js';
import {
  checkValue,
  globalNameOf,
  handleAt,
  lauxlib,
  literal,
  lua,
  native,
  PerRun,
  pushHandle,
  pushJson,
  setOlderGlobal,
  toJson,
  toText,
  twoSpellings,
  type Bridge,
  type CFunction,
  type HandleType,
  type LuaState,
  type Native,
} from '../kernel/index.js';
import { runModel, runModelBatch, type ModelAnswer } from './run-model.js';
import { declaredModels, readModel, type ModelDeclaration } from './model-declaration.js';

/** `m = Model {type = "http", …}`, `Model "name" {…}`; `m(x)`, `m.predict(x)`, `m.predict_batch({x, y})`; `Model("name")(x)`. */
export function openModel(bridge: Bridge): void {
  for (const library of libraries) library.open(bridge);
}

const modelType = new PerRun((bridge): HandleType => {
  const type: HandleType = { name: 'model', index: () => 0 };
  type.call = native(
    bridge,
    predict(bridge, (L) => ({ model: handleAt(L, 1, type) as ModelDeclaration, argument: 2 })),
  );
  const methods: Record<string, typeof predict> = {
    predict,
    ...(bridge.holds('served-models') ? { predict_batch: predictBatch } : {}),
  };
  type.index = (L, held, key) => {
    const method = getOwn(methods, key);
    if (method === undefined) return 0;
    lua.lua_pushcfunction(
      L,
      native(
        bridge,
        method(bridge, () => ({ model: held as ModelDeclaration, argument: 1 })),
      ),
    );
    return 1;
  };
  return type;
}, 'declared');

const libraries = twoSpellings(
  'Model',
  () => ({}),
  (bridge, isLowerCase) => declare(bridge, modelType.of(bridge), isLowerCase),
);

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

type Find = (L: LuaState) => { model: ModelDeclaration; argument: number };

/** `m(x)`, `m.predict(x)`. */
function predict(bridge: Bridge, find: Find): Native {
  return function* (L) {
    const { model, argument } = find(L);
    const given: JsonValue = lua.lua_isnoneornil(L, argument) ? null : toJson(L, argument);
    const input = inputOf(model, given);
    const answer = yield* runModel(bridge, L, model, nameOf(bridge, model), input);
    pushJson(L, answerForProcedure(bridge, model, answer));
    return 1;
  };
}

/** `m.predict_batch({x, y})`: a list for a list. */
function predictBatch(bridge: Bridge, find: Find): Native {
  return function* (L) {
    const { model, argument } = find(L);
    const given: JsonValue = lua.lua_isnoneornil(L, argument) ? null : toJson(L, argument);
    // An empty table is one without fields, for JSON.
    const list = isObject(given) && Object.keys(given).length === 0 ? [] : given;
    if (!Array.isArray(list)) throw new TactusError('predict_failed', 'predict_batch takes a list of inputs');
    const inputs = list.map((each) => inputOf(model, each));
    const answers = yield* runModelBatch(bridge, L, model, nameOf(bridge, model), inputs);
    pushJson(
      L,
      answers.map((answer) => answerForProcedure(bridge, model, answer)),
    );
    return 1;
  };
}

function nameOf(bridge: Bridge, model: ModelDeclaration): string {
  model.name ??= globalNameOf(bridge.L, model) ?? `model_${declaredModels.of(bridge).indexOf(model) + 1}`;
  return model.name;
}

/** What a procedure gets of an answer. */
function answerForProcedure(
  bridge: Bridge,
  { output: declared, raw, type }: ModelDeclaration,
  answer: ModelAnswer,
): JsonValue {
  const check = { code: 'predict_failed', unknown: 'keep', requireAll: true } as const;
  const output = declared === null ? answer.output : checkValue(declared, answer.output, check);
  if (raw) return output;
  const { cost, version, metadata } = answer;
  if (!bridge.holds('served-models')) return { output, cost };
  return {
    ...{ output, cost, backend_type: type },
    ...defined({ model_version: version, metadata }),
  };
}

/** Declared inputs are all wanted: a model that gets less answers nonsense. */
function inputOf({ input: schema }: ModelDeclaration, given: JsonValue): JsonValue {
  if (schema === null) return given;
  if (schema.kind === 'fields')
    for (const [name, field] of Object.entries(schema.fields))
      field.required = field.default === undefined && name !== '';
  return checkValue(schema, given, { code: 'predict_failed', unknown: 'keep', requireAll: true });
}
