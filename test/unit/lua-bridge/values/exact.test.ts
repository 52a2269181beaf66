import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../../src/contract/json/json.js';
import {
  lauxlib,
  literal,
  lua,
  NoExactForm,
  pushExact,
  seal,
  tableAt,
  toExact,
  valueAt,
  type LuaState,
  type TValue,
} from '../../../../src/lua-bridge/kernel/index.js';
import { loadChunk } from '../../../../src/lua-bridge/modules/load-chunk.js';

/** Lua with a function that makes a table read-only, and what an expression gives in it. */
function evaluated(expression: string): { L: LuaState; value: TValue } {
  const L = lauxlib.luaL_newstate();
  lua.lua_pushcfunction(L, (thread) => {
    seal(thread, 'read-only');
    return 1;
  });
  lua.lua_setglobal(L, literal('sealed'));
  lua.lua_pushcfunction(L, (thread) => {
    lua.lua_setmetatable(thread, 1);
    return 1;
  });
  lua.lua_setglobal(L, literal('setmetatable'));
  loadChunk(L, 'test.tac', `return ${expression}`);
  expect(lua.lua_pcallk(L, 0, 1, 0, 0, (_, ended) => ended)).toBe(lua.LUA_OK);
  return { L, value: valueAt(L, -1) as TValue };
}

function exactOf(expression: string): JsonValue {
  const { L, value } = evaluated(expression);
  return toExact(L, value);
}

describe('values in a snapshot', () => {
  it.each<[string, JsonValue]>([
    ['nil', null],
    ['true', true],
    ['3', 3],
    ['3.0', { f: '3' }],
    ['-0.0', { f: '-0' }],
    ['0.5', 0.5],
    ['1e300', { f: '1e+300' }],
    ['1/0', { f: 'Infinity' }],
    ['0/0', { f: 'NaN' }],
    ['"ü"', 'ü'],
    ['"\\xff"', { b: [255] }],
    ['{}', []],
    ['{1, {2.0}}', [1, [{ f: '2' }]]],
    ['{a = 1}', { t: [['a', 1]] }],
    [
      '{[2] = "b", [1] = "a"}',
      {
        t: [
          [2, 'b'],
          [1, 'a'],
        ],
      },
    ],
    [
      '{[1.5] = 1, [true] = 2}',
      {
        t: [
          [1.5, 1],
          [true, 2],
        ],
      },
    ],
    ['{["1"] = 1}', { t: [['1', 1]] }],
    [
      '{1, nil, 3}',
      {
        t: [
          [1, 1],
          [3, 3],
        ],
      },
    ],
    ['sealed{1}', { t: [[1, 1]], s: 'read-only' }],
  ])('%s is %j, and comes back as it was', (expression, exact) => {
    expect(exactOf(expression)).toEqual(exact);
    const { L } = evaluated(expression);
    pushExact(L, JSON.parse(JSON.stringify(exact)) as JsonValue);
    expect(toExact(L, valueAt(L, -1) as TValue)).toEqual(exact);
    expect(lua.lua_type(L, -1)).toBe(lua.lua_type(L, -2));
    expect(lua.lua_isinteger(L, -1)).toBe(lua.lua_isinteger(L, -2));
    expect(tableAt(L, -1)?.sealed).toBe(tableAt(L, -2)?.sealed);
  });

  it.each([
    ['function() end', /is a function, a handle or a coroutine/],
    ['{a = {b = function() end}}', /\.a\.b is a function/],
    ['(function() local t = {} return {t, t} end)()', /\[2\] is a table that is there twice/],
    ['(function() local t = {} t.t = t return t end)()', /\.t is a table that is there twice/],
    ['{setmetatable({}, {})}', /\[1\] has a metatable/],
  ])('%s has no form', (expression, problem) => {
    expect(() => exactOf(expression)).toThrow(NoExactForm);
    expect(() => exactOf(expression)).toThrow(problem);
  });
});
