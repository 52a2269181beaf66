import { afterEach, describe, expect, it } from 'vitest';
import {
  bytesOf,
  decodeUtf8,
  entriesOf,
  globalsOf,
  nameBytes,
  type LuaState,
} from '../../../../src/lua-bridge/vm/fengari.js';
import { fakeProgram, outputOf, runFake } from '../../../support/fake-host.js';

function globalNames(): Map<string, Uint8Array> {
  const { L } = (fakeProgram('return 1') as unknown as { bridge: { L: LuaState } }).bridge;
  const names = new Map<string, Uint8Array>();
  for (const entry of entriesOf(globalsOf(L))) {
    const bytes = bytesOf(entry.key);
    if (bytes !== null) names.set(decodeUtf8(bytes) ?? '', bytes);
  }
  return names;
}

describe('the names of libraries and fields', () => {
  const used = ['name', 'the field ä', 'x'.repeat(63)];
  afterEach(() => {
    for (const name of used) expect(decodeUtf8(nameBytes(name))).toBe(name);
  });

  it('have their bytes once for all states', () => {
    const others = globalNames();
    const names = globalNames();
    expect(names.size).toBeGreaterThan(60);
    const copied = [...names].filter(([name, bytes]) => others.get(name) !== bytes);
    // Those that Lua's own library spells out.
    expect(copied.map(([name]) => name).toSorted()).toEqual(['_G', '_VERSION']);
  });

  it('are forgotten and made again where runs use very many', () => {
    const kept = nameBytes('name');
    expect(nameBytes('name')).toBe(kept);
    for (let i = 0; i < 2_000; i++) nameBytes(`field ${i}`);
    const again = nameBytes('name');
    expect(again).not.toBe(kept);
    expect([...again]).toEqual([...kept]);
    // What a state that used it has put beside its bytes is made anew, but for the hash.
    expect(Reflect.get(again, 'hash')).toBe(Reflect.get(kept, 'hash'));
    expect(Reflect.get(again, 'hash')).toBe('|name');
  });

  it('are not kept where they are long', () => {
    expect(nameBytes('x'.repeat(64))).not.toBe(nameBytes('x'.repeat(64)));
  });

  it('are keys of one table only where that table loses them', () => {
    const names =
      'local names = {} for key in pairs(_G) do names[#names + 1] = tostring(key) end table.sort(names)';
    const all = outputOf(`${names} return names`) as string[];
    expect(all).toContain('Sleep');
    const others = all.filter((name) => name !== 'Sleep');
    expect(outputOf(`Sleep = nil ${names} return names`)).toEqual(others);
    expect(outputOf(`Sleep = nil Sleep = 3 ${names} return {names, Sleep}`)).toEqual([all, 3]);
    expect(outputOf(`${names} return {names, type(Sleep)}`)).toEqual([all, 'function']);
  });

  it('stay what they are whatever is done to strings', () => {
    const { ended } = runFake(
      `local seen = {}
      for key in pairs(input) do
        seen[#seen + 1] = key:upper() .. key:reverse() .. key:rep(3) .. key:gsub(".", "%0%0") .. key:format()
          .. table.concat({key, key}, key) .. string.char(key:byte(1, -1)) .. string.pack("z", key)
      end
      return #seen`,
      { input: Object.fromEntries(used.map((name) => [name, 1])) },
    );
    expect(ended).toEqual({ kind: 'completed', output: used.length });
  });
});
