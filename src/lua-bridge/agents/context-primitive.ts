import {
  anyHandleAt,
  GlobalFunctions,
  globalNameOf,
  jsonAt,
  lauxlib,
  literal,
  lua,
  PerRun,
  pushField,
  pushHandle,
  pushJson,
  pushText,
  setField,
  textAt,
  toJson,
  toText,
  type Bridge,
  type HandleType,
  type LuaState,
} from '../kernel/index.js';
import {
  declaredContexts,
  readDirectives,
  readPack,
  readPolicy,
  type ContextDeclaration,
  type PackDirective,
} from './context-declaration.js';
import { retrieverName } from '../retrieval/ask-retriever.js';
import { declaredRetrievers } from '../retrieval/retriever-declaration.js';

/**
 * `c = Context {messages = {system("…"), user(template("About {topic}", {topic = "rain"})), history()}}`, for
 * `Agent {context = c}`.
 */
export function openContext(bridge: Bridge): HandleType {
  functions.open(bridge);
  return contextType.of(bridge);
}

const contextType = new PerRun((): HandleType => {
  const type: HandleType = { name: 'context', index: () => 0 };
  type.index = (thread, held, key) => {
    if (key !== 'name') return 0;
    const context = held as ContextDeclaration;
    pushJson(thread, (context.name ??= globalNameOf(thread, context)));
    return 1;
  };
  return type;
}, 'declared');

const functions = new GlobalFunctions(
  ['Context', 'template', 'system', 'user', 'assistant', 'context', 'history'],
  (bridge) => ({
    Context: (thread) => {
      lauxlib.luaL_checktype(thread, 1, lua.LUA_TTABLE);
      const name = textAt(thread, 1, 'name');
      const context: ContextDeclaration = bridge.scheduler.notes.guard(thread, () =>
        readContext(bridge, thread, name),
      );
      declaredContexts.add(bridge, context);
      pushHandle(thread, contextType.of(bridge), context);
      return 1;
    },
    template: template,
    system: (thread) => message(thread, 'system'),
    user: (thread) => message(thread, 'user'),
    assistant: (thread) => message(thread, 'assistant'),
    context: (thread) => pack(bridge, thread),
    history: (thread) => {
      pushJson(thread, { type: 'history' });
      return 1;
    },
  }),
);

function template(L: LuaState): number {
  lua.lua_settop(L, 2);
  if (lua.lua_type(L, 1) !== lua.LUA_TSTRING) lauxlib.luaL_argerror(L, 1, literal('a string expected'));
  lua.lua_createtable(L, 0, 2);
  lua.lua_pushvalue(L, 1);
  setField(L, 3, 'template');
  lua.lua_pushvalue(L, 2);
  setField(L, 3, 'vars');
  return 1;
}

/** `user("text")`, `user(template(…))`: a table that says what it is. */
function message(L: LuaState, role: string): number {
  lua.lua_settop(L, 1);
  if (lua.lua_type(L, 1) === lua.LUA_TSTRING) {
    lua.lua_createtable(L, 0, 2);
    lua.lua_pushvalue(L, 1);
    setField(L, 2, 'content');
  } else {
    lauxlib.luaL_checktype(L, 1, lua.LUA_TTABLE);
    if (pushField(L, 1, 'template') !== lua.LUA_TSTRING)
      lauxlib.luaL_argerror(L, 1, literal('a string or template(…) expected'));
    lua.lua_settop(L, 1);
  }
  pushText(L, role);
  setField(L, -2, 'type');
  return 1;
}

function readContext(bridge: Bridge, L: LuaState, name: string | null): ContextDeclaration {
  const listed = jsonAt(L, 1, 'messages');
  if (!bridge.holds('retrieval')) return { name, messages: readDirectives(listed ?? []), policy: null };
  // Where no messages are listed, packs come after the system prompt.
  const messages = listed === null ? packsAt(bridge, L) : readDirectives(listed);
  return { name, messages, policy: readPolicy(jsonAt(L, 1, 'policy')) };
}

/** `packs = {notes, {name = notes, weight = 2}}`, or one alone. */
function packsAt(bridge: Bridge, L: LuaState): PackDirective[] {
  const type = pushField(L, 1, 'packs');
  const list = lua.lua_gettop(L);
  const packs: PackDirective[] = [];
  const add = (index: number): void => {
    const what = `packs[${packs.length + 1}]`;
    if (lua.lua_type(L, index) !== lua.LUA_TTABLE)
      packs.push(readPack({ name: packName(bridge, L, index) }, what));
    else {
      pushField(L, index, 'name');
      const name = packName(bridge, L, lua.lua_gettop(L));
      lua.lua_pop(L, 1);
      const [budget, weight, priority] = ['budget', 'weight', 'priority'].map((key) => jsonAt(L, index, key));
      packs.push(
        readPack({ name, budget: budget ?? null, weight: weight ?? null, priority: priority ?? null }, what),
      );
    }
  };
  if (type === lua.LUA_TTABLE && pushField(L, list, 'name') === lua.LUA_TNIL)
    for (let i = 1; lua.lua_rawgeti(L, list, i) !== lua.LUA_TNIL; i++) {
      add(lua.lua_gettop(L));
      lua.lua_settop(L, list);
    }
  else if (type !== lua.LUA_TNIL) add(list);
  lua.lua_settop(L, list - 1);
  return packs;
}

/** The name of a retriever or a Context, which is made up where it has none. */
function packName(bridge: Bridge, L: LuaState, index: number): string | null {
  const held = anyHandleAt(L, index) as { name?: string | null } | null;
  if (held === null) return lua.lua_type(L, index) === lua.LUA_TSTRING ? toText(L, index) : null;
  const retriever = declaredRetrievers.of(bridge).find((each) => each === held);
  if (retriever !== undefined) return retrieverName(bridge, retriever);
  const context = declaredContexts.of(bridge).find((each) => each === held);
  if (context === undefined) return null;
  context.name ??= globalNameOf(L, context) ?? `context_${declaredContexts.of(bridge).indexOf(context) + 1}`;
  return context.name;
}

/** `context(retriever)`, `context(retriever, {max_tokens = 300})`: names what it puts in. */
function pack(bridge: Bridge, L: LuaState): number {
  if (!bridge.holds('retrieval')) {
    const held = anyHandleAt(L, 1) as { name?: string | null } | null;
    const name = held === null ? toText(L, 1) : (held.name ?? globalNameOf(L, held));
    pushJson(L, { type: 'context', name: name ?? 'retriever' });
    return 1;
  }
  const name =
    packName(bridge, L, 1) ??
    lauxlib.luaL_argerror(L, 1, literal('a retriever, a Context or a name expected'));
  if (!lua.lua_isnoneornil(L, 2)) lauxlib.luaL_checktype(L, 2, lua.LUA_TTABLE);
  const budget = lua.lua_isnoneornil(L, 2) ? null : bridge.scheduler.notes.guard(L, () => toJson(L, 2));
  pushJson(L, { type: 'context', name, ...(budget === null ? {} : { budget }) });
  return 1;
}
