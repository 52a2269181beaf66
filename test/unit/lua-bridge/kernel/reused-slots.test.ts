import { describe, expect, it } from 'vitest';
import {
  bytesOf,
  decodeUtf8,
  entriesOf,
  globalsOf,
  type LuaState,
} from '../../../../src/lua-bridge/vm/fengari.js';
import { fakeProgram, outputOf } from '../../../support/fake-host.js';

/** Calls that use the same slots and frames again, and leave other values in them. */
const uses = `local function deep(n, ...) local a, b, c = n, {n}, "other" if n == 0 then return select("#", ...) end return deep(n - 1, a, b, c, ...) + 1 end
  local function use() deep(20) pcall(deep, "not a number") table.unpack({1, 2, 3, 4, 5, 6, 7, 8}) end`;

/** A program with what it returns, after other calls. */
function after(text: string, what: string): unknown {
  return outputOf(`${uses} local read = {} ${text} use() return ${what}`);
}

describe('what functions have captured', () => {
  const counter = 'read[#read + 1] = function() n = n + 1 return n end';
  const all =
    '(function() local seen = {} for i, each in ipairs(read) do each() seen[i] = each() end return seen end)()';

  it.each([
    ['of a block', `for i = 1, 3 do local n = i * 10 ${counter} use() end`, [12, 22, 32]],
    [
      'of a function that has returned',
      `for i = 1, 3 do (function(n) ${counter} end)(i * 10) use() end`,
      [12, 22, 32],
    ],
    [
      'of one that left by a tail call',
      `for i = 1, 2 do (function(n) ${counter} return use() end)(i * 10) end`,
      [12, 22],
    ],
    [
      'of one that failed',
      `for i = 1, 2 do pcall(function() local n = i * 10 ${counter} use() error("no") end) use() end`,
      [12, 22],
    ],
    [
      'of one that failed in a metamethod',
      `local t = setmetatable({}, {__add = function() use() error("no") end}) for i = 1, 2 do pcall(function() local n = i * 10 ${counter} return t + n end) use() end`,
      [12, 22],
    ],
    [
      'of a coroutine that waits',
      `local co = coroutine.create(function() local n = 10 ${counter} coroutine.yield() end) coroutine.resume(co) use()`,
      [12],
    ],
    [
      'of a coroutine that failed',
      `local co = coroutine.create(function() local n = 10 ${counter} use() error("no") end) coroutine.resume(co) use()`,
      [12],
    ],
    [
      'of a loop that was left',
      `for _, n in ipairs({10, 20, 30}) do ${counter} if n == 20 then break end end`,
      [12, 22],
    ],
    [
      'beside arguments of any number',
      `(function(...) local n = ... ${counter} return use(...) end)(10, 2, 3)`,
      [12],
    ],
  ])('stays as it is: %s', (_what, text, expected) => {
    expect(after(text, all)).toEqual(expected);
  });

  it('is shared with a coroutine that goes on', () => {
    const text =
      'local n = 1 local co = coroutine.wrap(function() while true do n = n * 2 use() coroutine.yield(n) end end)';
    expect(after(`${text} co() use() n = n + 1 co() use()`, '{n, co(), n}')).toEqual([6, 12, 12]);
  });
});

it('a thread that waits holds nothing of the calls that have ended', () => {
  const program = fakeProgram(`${uses}
    waits = coroutine.create(function() local own = {} use() pcall(use) coroutine.yield() return own end)
    ended = coroutine.create(function() use() end)
    failed = coroutine.create(function() use() error({}) end)
    for _, each in ipairs({waits, ended, failed}) do coroutine.resume(each) end
    return 1`);
  expect(program.turn()).toMatchObject({ kind: 'completed', output: 1 });
  const { L } = (program as unknown as { bridge: { L: LuaState } }).bridge;
  const threads = new Map<string, LuaState & { ci: { next: unknown } }>();
  for (const entry of entriesOf(globalsOf(L))) {
    const name = decodeUtf8(bytesOf(entry.key) ?? new Uint8Array());
    if (['waits', 'ended', 'failed'].includes(name ?? '')) threads.set(name ?? '', entry.value as never);
  }
  expect([...threads.keys()].toSorted()).toEqual(['ended', 'failed', 'waits']);
  for (const { stack, top, ci } of threads.values()) {
    expect(stack.findIndex((slot, at) => at >= top && slot !== undefined)).toBe(-1);
    expect(ci.next === null).toBe(true);
  }
});
