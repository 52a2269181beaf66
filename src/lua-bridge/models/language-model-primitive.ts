import { TactusError } from '../../contract/errors.js';
import { asJson, isObject, jsonAs } from '../../contract/json/json.js';
import {
  GlobalFunctions,
  handleAt,
  lauxlib,
  lua,
  PerRun,
  pushHandle,
  pushJson,
  toJson,
  toText,
  type Bridge,
  type HandleType,
  type LuaState,
} from '../kernel/index.js';
import { languageModel, readLanguageModel, type LanguageModel } from './model-choice.js';

/** What `LM` gave last: its registry reference; null: nothing yet. */
interface LastGiven {
  reference: number | null;
  type: HandleType;
}

const lastGiven = new PerRun((bridge): LastGiven => ({ reference: null, type: typeOf(bridge) }), {
  name: 'LM',
  take: (_, bridge) => asJson(languageModel.of(bridge).current),
  put: ({ type }, taken, bridge) => {
    if (taken === null) return;
    give(bridge, bridge.L, type, jsonAs<LanguageModel>(taken));
    lua.lua_pop(bridge.L, 1);
  },
});

/**
 * `LM("openai/gpt-5-mini")`, `LM("openai/gpt-5-mini", {temperature = 0})` and the same curried: the model and the settings
 * of modules, and of agents that name none, from there on. `get_current_lm()` gives what was said last.
 */
export function openLanguageModel(bridge: Bridge): void {
  functions.open(bridge);
}

function typeOf(bridge: Bridge): HandleType {
  const type: HandleType = { name: 'LM', index: () => 0 };
  type.index = (thread, held, key) => {
    const { model, written } = held as LanguageModel;
    if (key === 'model') pushJson(thread, model);
    else if (key === 'kwargs') pushJson(thread, written);
    else if (key === 'model_type') pushJson(thread, written['model_type'] ?? 'chat');
    else return 0;
    return 1;
  };
  // `LM "openai/gpt-5-mini" {…}`
  type.call = (thread) => set(bridge, thread, type, (handleAt(thread, 1, type) as LanguageModel).model, 2);
  return type;
}

const functions = new GlobalFunctions(['LM', 'get_current_lm'], (bridge) => ({
  LM: (thread) => {
    const model = lua.lua_type(thread, 1) === lua.LUA_TSTRING ? toText(thread, 1) : null;
    return set(bridge, thread, lastGiven.of(bridge).type, model ?? '', 2);
  },
  get_current_lm: (thread) => {
    const { reference } = lastGiven.of(bridge);
    if (reference === null) lua.lua_pushnil(thread);
    else lua.lua_rawgeti(thread, lua.LUA_REGISTRYINDEX, reference);
    return 1;
  },
}));

function set(bridge: Bridge, L: LuaState, type: HandleType, model: string, config: number): number {
  if (!lua.lua_isnoneornil(L, config)) lauxlib.luaL_checktype(L, config, lua.LUA_TTABLE);
  const said = bridge.scheduler.notes.guard(L, () => {
    if (model === '') throw new TactusError('source_invalid', 'model is required for LM configuration');
    const given = toJson(L, config);
    return readLanguageModel(bridge, model, isObject(given) ? given : {});
  });
  return give(bridge, L, type, said);
}

function give(bridge: Bridge, L: LuaState, type: HandleType, said: LanguageModel): number {
  languageModel.of(bridge).current = said;
  const last = lastGiven.of(bridge);
  if (last.reference !== null) lauxlib.luaL_unref(L, lua.LUA_REGISTRYINDEX, last.reference);
  pushHandle(L, type, said);
  lua.lua_pushvalue(L, -1);
  last.reference = lauxlib.luaL_ref(L, lua.LUA_REGISTRYINDEX);
  return 1;
}
