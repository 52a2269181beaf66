import type { Bridge } from '../kernel/bridge.js';
import { jsonAt, textAt } from '../values/config-table.js';
import { declaredContexts, readDirectives, type ContextDeclaration } from '../agents/context-declaration.js';
import { anyHandleAt, globalNameOf, pushHandle, type HandleType } from '../vm/handle.js';
import { pushJson } from '../values/marshal.js';
import {
  lauxlib,
  literal,
  lua,
  pushField,
  pushText,
  setField,
  toText,
  type CFunction,
  type LuaState,
} from '../vm/fengari.js';

/**
 * `c = Context {messages = {system("…"), user(template("About {topic}", {topic = "rain"})), history()}}`, for
 * `Agent {context = c}`.
 */
export function openContext(bridge: Bridge): HandleType {
  const { L, scheduler } = bridge;
  const type: HandleType = { name: 'context', index: () => 0 };
  type.index = (thread, held, key) => {
    if (key !== 'name') return 0;
    const context = held as ContextDeclaration;
    pushJson(thread, (context.name ??= globalNameOf(thread, context)));
    return 1;
  };
  const functions: Record<string, CFunction> = {
    Context: (thread) => {
      lauxlib.luaL_checktype(thread, 1, lua.LUA_TTABLE);
      const name = textAt(thread, 1, 'name');
      const context: ContextDeclaration = scheduler.notes.guard(thread, () => ({
        name,
        messages: readDirectives(jsonAt(thread, 1, 'messages') ?? []),
      }));
      declaredContexts.add(bridge, context);
      pushHandle(thread, type, context);
      return 1;
    },
    template: template,
    system: (thread) => message(thread, 'system'),
    user: (thread) => message(thread, 'user'),
    assistant: (thread) => message(thread, 'assistant'),
    context: retrieved,
    history: (thread) => {
      pushJson(thread, { type: 'history' });
      return 1;
    },
  };
  for (const [name, fn] of Object.entries(functions)) {
    lua.lua_pushcfunction(L, fn);
    lua.lua_setglobal(L, literal(name));
  }
  return type;
}

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

/** `context(retriever)`: names what it would put in. */
function retrieved(L: LuaState): number {
  const held = anyHandleAt(L, 1) as { name?: string | null } | null;
  const name = held === null ? toText(L, 1) : (held.name ?? globalNameOf(L, held));
  pushJson(L, { type: 'context', name: name ?? 'retriever' });
  return 1;
}
