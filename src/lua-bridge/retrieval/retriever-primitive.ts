import { TactusError } from '../../contract/errors.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import {
  GlobalFunctions,
  globalNameOf,
  handleAt,
  lauxlib,
  lua,
  native,
  pushField,
  pushHandle,
  pushJson,
  setField,
  toJson,
  toText,
  type Bridge,
  type HandleType,
  type LuaState,
  type Native,
} from '../kernel/index.js';
import { askRetriever, retrieverName, shownIndex, shownResult } from './ask-retriever.js';
import {
  declaredCorpora,
  declaredRetrievers,
  readBounds,
  readCorpus,
  readRetriever,
  type CorpusDeclaration,
  type RetrieverDeclaration,
} from './retriever-declaration.js';

/** `notes = Corpus {root = "notes"}`, `search = Retriever {corpus = notes, …}`; `search("kettles")`, `search.index()`. */
export function openRetriever(bridge: Bridge): void {
  functions.open(bridge);
}

const functions = new GlobalFunctions(['Corpus', 'Retriever'], (bridge) => {
  const { scheduler } = bridge;
  const corpus: HandleType = { name: 'corpus', index: () => 0 };
  corpus.index = (thread, held, key) => {
    if (key !== 'name') return 0;
    const declared = held as CorpusDeclaration;
    pushJson(thread, (declared.name ??= globalNameOf(thread, declared)));
    return 1;
  };
  const retriever: HandleType = { name: 'retriever', index: () => 0 };
  retriever.call = native(bridge, (thread) => ask(bridge, thread, handleAt(thread, 1, retriever)));
  retriever.index = (thread, held, key) => {
    const declared = held as RetrieverDeclaration;
    if (key === 'index') lua.lua_pushcfunction(thread, native(bridge, bringUpToDate(bridge, declared)));
    else if (key === 'name') pushJson(thread, retrieverName(bridge, declared));
    else return 0;
    return 1;
  };
  return {
    Corpus: (thread) => {
      lauxlib.luaL_checktype(thread, 1, lua.LUA_TTABLE);
      const declared = scheduler.notes.guard(thread, () => readCorpus(toJson(thread, 1)));
      declaredCorpora.add(bridge, declared);
      pushHandle(thread, corpus, declared);
      return 1;
    },
    Retriever: (thread) => {
      lauxlib.luaL_checktype(thread, 1, lua.LUA_TTABLE);
      const about = corpusAt(bridge, thread, corpus);
      const declared = scheduler.notes.guard(thread, () => readRetriever(withoutCorpus(thread), about));
      declaredRetrievers.add(bridge, declared);
      pushHandle(thread, retriever, declared);
      return 1;
    },
  };
});

/** A corpus, or the name of one that the file declares before. */
function corpusAt(bridge: Bridge, L: LuaState, type: HandleType): CorpusDeclaration | null {
  const isNamed = pushField(L, 1, 'corpus') === lua.LUA_TSTRING;
  const name = isNamed ? toText(L, -1) : null;
  const held = handleAt(L, -1, type) as CorpusDeclaration | null;
  lua.lua_pop(L, 1);
  if (name === null) return held;
  return declaredCorpora.of(bridge).find((each) => (each.name ?? globalNameOf(L, each)) === name) ?? null;
}

/** The table at 1 but for its corpus, which is no plain value. */
function withoutCorpus(L: LuaState): JsonValue {
  lua.lua_checkstack(L, 5);
  lua.lua_createtable(L, 0, 8);
  const copy = lua.lua_gettop(L);
  lua.lua_pushnil(L);
  while (lua.lua_next(L, 1)) {
    lua.lua_pushvalue(L, -2);
    lua.lua_insert(L, -2);
    lua.lua_rawset(L, copy);
  }
  lua.lua_pushnil(L);
  setField(L, copy, 'corpus');
  const fields = toJson(L, copy);
  lua.lua_settop(L, copy - 1);
  return fields;
}

function* ask(bridge: Bridge, L: LuaState, held: unknown): ReturnType<Native> {
  const retriever = held as RetrieverDeclaration;
  const given: JsonValue = lua.lua_isnoneornil(L, 2) ? null : toJson(L, 2);
  const fields: JsonObject = isObject(given) ? given : { query: given };
  const { query } = fields;
  if (typeof query !== 'string' || query.trim() === '')
    throw new TactusError('retrieval_failed', 'a retriever must be asked with a text that is not empty');
  const bounds = readBounds(fields, retriever.bounds, retrieverName(bridge, retriever));
  const result = yield* askRetriever(bridge, L, retriever, query, bounds);
  pushJson(L, shownResult(query, result, retriever.joinWith));
  return 1;
}

/** `search.index()`: what the index holds then. */
function bringUpToDate(bridge: Bridge, retriever: RetrieverDeclaration): Native {
  return function* (L) {
    pushJson(L, shownIndex(yield* askRetriever(bridge, L, retriever, null, retriever.bounds)));
    return 1;
  };
}
