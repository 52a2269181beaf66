import type { Line } from '../../contract/runs/run-view.js';
import {
  chargedTraceback,
  decodeLossy,
  GlobalFunctions,
  lauxlib,
  literal,
  lua,
  luaopen_base,
  luaopen_table,
  luaopen_utf8,
  pushText,
  seal,
  sealOwn,
  setField,
  toText,
  weigh,
  weighText,
  type Bridge,
  type CFunction,
  type LuaState,
  type RunMeter,
} from '../kernel/index.js';

/** Instructions that a printed or logged line costs, so that a flood of lines ends like an endless loop. */
const lineCost = 1_000;

/** Counts a line that is shown: the instructions that it costs, and what is kept of it. */
export function chargeLine(meter: RunMeter, line: Line): void {
  const length =
    line.kind === 'print' ? line.text.length : line.message.length + JSON.stringify(line.context).length;
  meter.charge(lineCost + (length >> 2));
  meter.keep(100 + 2 * length);
}

/** What each word of a printed line costs. */
const wordCost = 20;

/** The largest size that Lua takes. */
const mostElements = 0x7fffffff;

/** The functions of base Lua that a procedure may have; `load`, `dofile` and `collectgarbage` were never built in. */
export function openBase(bridge: Bridge): void {
  const { L, holds } = bridge;
  lauxlib.luaL_requiref(L, literal('_G'), luaopen_base, 1);
  lua.lua_pop(L, 1);
  for (const [name, open] of Object.entries({ table: luaopen_table, utf8: luaopen_utf8 })) {
    lauxlib.luaL_requiref(L, literal(name), open, 1);
    if (name === 'table' && holds('lua-conformance')) {
      lua.lua_pushcfunction(L, createTable);
      setField(L, -2, 'create');
    }
    sealOwn(L, name);
    lua.lua_pop(L, 1);
  }
  functions.open(bridge);
}

const functions = new GlobalFunctions(['print'], ({ show }) => ({
  print: (thread) => {
    const words: string[] = [];
    for (let i = 1; i <= lua.lua_gettop(thread); i++) {
      const word = lauxlib.luaL_tolstring(thread, i);
      weigh(thread, wordCost);
      weighText(thread, word.length);
      words.push(decodeLossy(word));
      lua.lua_pop(thread, 1);
    }
    show({ kind: 'print', text: words.join('\t') });
    return 0;
  },
}));

/** `table.create(n, m)`: an empty table. Its sizes are looked at, and save nothing: a table grows at no cost here. */
function createTable(L: LuaState): number {
  const sizes = [lauxlib.luaL_checkinteger(L, 1), lauxlib.luaL_optinteger(L, 2, 0)];
  sizes.forEach((size, i) => {
    if (size < 0 || size > mostElements) lauxlib.luaL_argerror(L, i + 1, literal('out of range'));
  });
  lua.lua_createtable(L, 0, 0);
  return 1;
}

/** `debug.traceback`, and nothing of `debug` that could look into other code; `collectgarbage`, which has nothing to do. */
export function openDebug(L: LuaState): void {
  lua.lua_createtable(L, 0, 1);
  lua.lua_pushcfunction(L, showTraceback);
  setField(L, -2, 'traceback');
  seal(L, 'the library debug is read-only');
  lua.lua_setglobal(L, literal('debug'));
  lua.lua_pushcfunction(L, collectGarbage);
  lua.lua_setglobal(L, literal('collectgarbage'));
}

/** `debug.traceback("message")`: anything but a string or nothing is given back as it is, as Lua does. */
const showTraceback: CFunction = (L) => {
  const type = lua.lua_type(L, 1);
  const hasMessage = type === lua.LUA_TSTRING;
  lua.lua_settop(L, 1);
  if (!hasMessage && type > lua.LUA_TNIL) return 1;
  const lines = chargedTraceback(L)
    .text.split('\n')
    .map((line) => `\n\t${line}`);
  pushText(L, `${hasMessage ? '\n' : ''}stack traceback:${lines.join('')}`);
  if (hasMessage) lua.lua_concat(L, 2);
  return 1;
};

/** Memory is counted by the run's own limit; what the collector of a worker does would differ on each. */
const collectGarbage: CFunction = (L) => {
  const what = lua.lua_isnoneornil(L, 1) ? 'collect' : (lauxlib.luaL_checkstring(L, 1), toText(L, 1));
  if (what === 'count') lua.lua_pushnumber(L, 0);
  else if (what === 'isrunning') lua.lua_pushboolean(L, true);
  else lua.lua_pushinteger(L, 0);
  return 1;
};
