import { expect, it } from 'vitest';
import {
  lauxlib,
  Library,
  literal,
  lua,
  pushField,
  valueAt,
  type CFunction,
} from '../../../../src/lua-bridge/kernel/index.js';
import { outputOf } from '../../../support/fake-host.js';

it('makes the functions of a library when one is first asked for, and once', () => {
  const L = lauxlib.luaL_newstate();
  const give: CFunction = () => 0;
  let made = 0;
  L.l_G.host = { L, kept: new Map() };
  new Library('Lib', () => {
    made++;
    return { give };
  }).open({ L });
  const get = (name: string): unknown => {
    lua.lua_pushglobaltable(L);
    pushField(L, -1, 'Lib');
    lua.lua_getfield(L, -1, literal(name));
    const found = valueAt(L, -1)?.value;
    lua.lua_pop(L, 3);
    return found;
  };
  expect(made).toBe(0);
  expect([get('give'), get('take'), get('give'), made]).toEqual([give, null, give, 1]);
});

it('gives the same function each time, and under both names of a library', () => {
  const source = `
    local same = {File.read == File.read, Human.approve == Human.approve, State.get == State.get}
    for _, names in ipairs({{Agent, agent, "run"}, {Tool, tool, "get"}, {Toolset, toolset, "get"}, {Procedure, procedure, "spawn"}}) do
      same[#same + 1] = names[1][names[3]] ~= nil and names[1][names[3]] == names[2][names[3]]
    end
    return same`;
  expect(outputOf(source)).toEqual([true, true, true, true, true, true, true]);
});
