import { describe, expect, it } from 'vitest';
import { outputOf, runFake } from '../../../support/fake-host.js';

const tool = (body: string): string => `change = Tool { transaction = true, function(args) ${body} end }`;

describe('the state of a tool that is a transaction', () => {
  it.each([
    [
      'a table that is there twice is one still',
      'state.a = {1} state.b = state.a',
      'state.a[1] = 2 return state.b[1]',
      [2, 2, 2],
    ],
    ['a float stays one', 'state.a = 1.0', 'state.b = state.a', [null, '1.0', '1.0']],
    ['a name that is taken away is gone', 'state.a = 1 state.b = 2', 'state.a = nil', [null, null, 2]],
  ])('%s', (_, before, body, [given, a, b]) => {
    const shown = (name: string): string =>
      `(function(v) if type(v) == "table" then return #v > 0 and v[1] or "table" end if math.type(v) == "float" then return tostring(v) end return v end)(state.${name})`;
    const output = outputOf(
      `${tool(body)} ${before} local given = change({}) return { given, ${shown('a')}, ${shown('b')} }`,
    );
    const list = Array.isArray(output) ? output : Object.values(output as object);
    expect(list.filter((each) => each !== null)).toEqual([given, a, b].filter((each) => each !== null));
  });

  it('that fails has changed nothing, in tables within tables', () => {
    expect(
      outputOf(
        `${tool('state.a.b.c[1] = 9 table.insert(state.a.b.c, 3) state.f = nil state.a = {} error("x")')}
        state.a, state.f = { b = { c = { 1 } } }, 1
        local ok = pcall(change, {})
        return { ok, state.a.b.c, state.f }`,
      ),
    ).toEqual([false, [1], 1]);
  });

  it('is that of procedures that it calls', () => {
    expect(
      outputOf(
        `count = Procedure { function() state.a = (state.a or 0) + 1 return state.a end }
        ${tool('count() local n = count() if args.fails then error("x") end return state.a')}
        main = Procedure { function()
          pcall(change, { fails = true })
          local between = state.a == nil
          return { between, change({}), state.a }
        end }`,
      ),
    ).toEqual([true, 2, 2]);
  });

  it('raises what it raised, with its code', () => {
    expect(
      outputOf(
        `${tool('state.a = 1 File.write("x.txt", "y") error({ message = "no", n = 3 })')}
        local ok, e = pcall(change, {})
        return { ok, e.message, e.n }`,
      ),
    ).toEqual([false, 'no', 3]);
    expect(
      outputOf(
        `${tool('File.write("x.txt", "y") Json.decode(5, 6, 7) change("no") ')} local ok, e = pcall(change, {}) return { ok, type(e) }`,
      ),
    ).toEqual([false, 'string']);
  });
});

describe('the effects of a tool that is a transaction', () => {
  const files = (source: string): string[] => runFake(source).performed;

  it('keep a file once in each transaction, put it back when it fails, and forget it when it succeeds', () => {
    const write = 'File.write("a.txt", "1") File.append("a.txt", "2") File.delete("b.txt")';
    const count = (performed: readonly string[]): number => performed.length;
    const plain = count(files(`change = Tool { function() ${write} end } change({})`));
    expect(plain).toBe(3);
    expect(count(files(`${tool(write)} change({})`))).toBe(3 + 2 * 2);
    expect(count(files(`${tool(`${write} error("x")`)} pcall(change, {})`))).toBe(3 + 2 * 2);
    expect(count(files(`${tool('File.read("a.txt") return File.exists("b.txt")')} change({})`))).toBe(2);
  });

  it('end a run that no pcall goes on from without more of them', () => {
    const performed = files(`${tool('File.write("a.txt", "1") while true do end')} pcall(change, {})`);
    expect(performed).toHaveLength(2);
  });
});

it('the option is true or false, and of functions alone', () => {
  expect(() => outputOf('t = Tool { transaction = 1, function() end }')).toThrow(
    'transaction must be true or false',
  );
  expect(() => outputOf('t = Tool { transaction = true, use = "host.x" }')).toThrow('no function');
});
