import { builtInNames } from '../../src/lua-bridge/modules/built-in-modules.js';
import { bridgeOf, Library, type Bridge } from '../../src/lua-bridge/kernel/index.js';
import {
  bytesOf,
  decodeUtf8,
  entriesOf,
  lua,
  Table,
  type LuaState,
  type TValue,
  type UserData,
} from '../../src/lua-bridge/vm/fengari.js';
import { runFake } from '../support/fake-host.js';

/** Operators, and functions that only a call gives. */
const others = [
  ...['+', '-', '*', '/', '%', '^', '//', '&', '|', '~', '<<', '>>', '..', '==', '<', '<=', '~='].map(
    (operator) => `function(a, b) return a ${operator} b end`,
  ),
  ...['-', '~', '#', 'not '].map((operator) => `function(a) return ${operator}a end`),
  'function(a, b) return a[b] end',
  'function(a, b, c) a[b] = c return a[b] end',
  'function(a, b, c) local t = {[a] = b} t[a] = nil return t[c] end',
  'function(a, b, c) for i = a, b, c do return i end end',
  'function(a) for k, v in pairs(a) do return k, v end end',
  'function(...) return {...}, select("#", ...) end',
  'function(...) return a.b.c.d(...) end',
  'utf8.codes("x")',
  'ipairs({})',
  'pairs(state)',
  'string.gmatch("aaa", "a")',
  'coroutine.wrap(function(...) while true do coroutine.yield(...) end end)',
  'History().add',
  'History({{role = "user", content = "a"}}).get',
  'History({{role = "user", content = "a"}}).truncate',
  'Module({signature = "a -> b"})',
  'function(a, b) return Module({signature = "a, history -> b"})({a = a, history = b}) end',
];

/** Those that do nothing but wait for the host or run what they are given. */
const prelude = `modules = {} ${builtInNames({ holds: () => true })
  .map((name) => `modules["${name}"] = require("${name}")`)
  .join(' ')} return 1`;

/** Lua expressions for every function that a procedure can reach from its globals and the modules that are built in. */
export function reachableFunctions(): { prelude: string; functions: string[] } {
  const { program } = runFake(prelude);
  const { L } = (program as unknown as { bridge: { L: LuaState } }).bridge;
  lua.lua_pushglobaltable(L);
  const globals = lua.lua_topointer(L, -1) as Table;
  const functions: string[] = [];
  walk(bridgeOf(L), globals, '_G', functions, new Set());
  return { prelude: prelude.replace(/ return 1$/, ''), functions: [...functions.sort(), ...others] };
}

function walk(bridge: Bridge, table: Table, path: string, functions: string[], seen: Set<unknown>): void {
  if (seen.has(table)) return;
  seen.add(table);
  for (const entry of entriesOf(table)) {
    const bytes = bytesOf(entry.key);
    if (bytes === null) continue;
    const place = `${path}[${JSON.stringify(decodeUtf8(bytes))}]`;
    visit(bridge, entry, place, functions, seen);
  }
}

function visit(bridge: Bridge, value: TValue, place: string, functions: string[], seen: Set<unknown>): void {
  const { value: held } = value;
  if (held instanceof Table) {
    if (held.metatable !== null) walkMetatable(held.metatable, place, functions);
    walk(bridge, held, place, functions, seen);
  } else if (seen.has(held)) return;
  else if ((value.type & 0x0f) === lua.LUA_TFUNCTION) {
    seen.add(held);
    functions.push(place);
  } else if ((value.type & 0x0f) === lua.LUA_TUSERDATA) {
    seen.add(held);
    functions.push(place, `function(k, v) ${place}[k] = v end`, `function(k) return ${place}[k] end`);
    const { data } = held as { data: UserData };
    if (data.held instanceof Library)
      for (const name of Object.keys(data.held.functions.of(bridge))) functions.push(`${place}.${name}`);
  }
}

/** What a table that stands for something else can do. */
function walkMetatable(metatable: Table, place: string, functions: string[]): void {
  const names = [...entriesOf(metatable)].map(({ key }) => decodeUtf8(bytesOf(key) ?? new Uint8Array()));
  if (names.includes('__call')) functions.push(place);
  if (names.includes('__index')) functions.push(`function(k) return ${place}[k] end`);
  if (names.includes('__newindex')) functions.push(`function(k, v) ${place}[k] = v end`);
}
