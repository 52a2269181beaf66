import { describe, expect, it } from 'vitest';
import { outputOf, runFake } from '../../../support/fake-host.js';

describe("the author's coroutines", () => {
  it.each([
    [
      'yield and are resumed with values',
      'local co = coroutine.create(function(a, b) local c = coroutine.yield(a + b) return c * 2 end) return {select(2, coroutine.resume(co, 1, 2)), select(2, coroutine.resume(co, 10))}',
      [3, 20],
    ],
    [
      'say what state they are in',
      `
      local inner, outer = nil, nil
      local seen = {}
      inner = coroutine.create(function() seen[1] = coroutine.status(outer) seen[2] = coroutine.status(inner) coroutine.yield() end)
      outer = coroutine.create(function() coroutine.resume(inner) end)
      seen[3] = coroutine.status(outer)
      coroutine.resume(outer)
      seen[4] = coroutine.status(outer) seen[5] = coroutine.status(inner)
      return seen`,
      ['normal', 'running', 'suspended', 'dead', 'suspended'],
    ],
    [
      'are wrapped',
      'local next = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) return {next(), next(), next()}',
      [1, 2, 3],
    ],
    [
      'know whether they run',
      'local co co = coroutine.create(function() local now, main = coroutine.running() return now == co, main end) return {select(2, coroutine.resume(co))}',
      [true, false],
    ],
    [
      'know where they may yield',
      'return {coroutine.isyieldable(), coroutine.wrap(function() return coroutine.isyieldable() end)()}',
      [false, true],
    ],
    [
      'give their error to the resumer',
      'local co = coroutine.create(function() error("inside") end) local ok, message = coroutine.resume(co) return {ok, message, coroutine.status(co)}',
      [false, 'main.tac:1: inside', 'dead'],
    ],
    [
      'give error objects as they are',
      'local e = {code = 7} local _, got = coroutine.resume(coroutine.create(function() error(e) end)) return got == e',
      true,
    ],
    [
      'raise in the resumer where they are wrapped',
      'return {pcall(coroutine.wrap(function() error({code = 7}) end))}',
      [false, { code: 7 }],
    ],
    [
      'are closed',
      'local co = coroutine.create(function() coroutine.yield() end) coroutine.resume(co) return {coroutine.close(co), coroutine.status(co), coroutine.resume(co)}',
      [true, 'dead', false, 'cannot resume dead coroutine'],
    ],
    [
      'end only once',
      'local co = coroutine.create(function() return 1 end) coroutine.resume(co) return {coroutine.resume(co)}',
      [false, 'cannot resume dead coroutine'],
    ],
    [
      'carry many values',
      'local co = coroutine.wrap(function(...) return select("#", coroutine.yield(...)) end) local n = select("#", co(table.unpack({}, 1, 200))) return {n, co(table.unpack({}, 1, 100))}',
      [200, 100],
    ],
    [
      'yield across pcall',
      'local co = coroutine.wrap(function() local ok, got = pcall(function() return coroutine.yield(1) end) return got end) return {co(), co("back")}',
      [1, 'back'],
    ],
    [
      'yield out of nested ones to their own resumer',
      `
      local outer = coroutine.wrap(function()
        local inner = coroutine.wrap(function() coroutine.yield("inner") return "end" end)
        coroutine.yield(inner()) coroutine.yield(inner())
      end)
      return {outer(), outer()}`,
      ['inner', 'end'],
    ],
  ])('%s', (_what, source, expected) => expect(outputOf(source)).toEqual(expected));

  it.each([
    ['coroutine.resume(1)', 'thread expected, got number'],
    ['coroutine.create(1)', 'function expected'],
    ['coroutine.yield(1)', 'attempt to yield from outside a coroutine'],
    ['coroutine.close(coroutine.running())', 'cannot close main thread'],
    ['string.gsub("a", "a", function() coroutine.yield() end)', 'attempt to yield from outside a coroutine'],
    [
      'coroutine.wrap(function() string.gsub("a", "a", function() coroutine.yield() end) end)()',
      'attempt to yield across a',
    ],
  ])('%s is an error', (call, message) => expect(() => outputOf(call)).toThrow(message));
});

describe('effects in coroutines', () => {
  it('pass through, unseen by the resumer', () => {
    const source = `
      local co = coroutine.wrap(function(a)
        local one = File.read(a)
        local b = coroutine.yield(one)
        return File.read(b) .. coroutine.wrap(function() return File.read("deep") end)()
      end)
      return {co("a"), co("b")}`;
    const run = runFake(source);
    expect(run.ended).toMatchObject({ output: ['content of a', 'content of bcontent of deep'] });
    expect(run.performed).toEqual(['file 0', 'file 1', 'file 2']);
  });

  it('leave them normal to all who look while they wait', () => {
    const source = `
      local co = coroutine.create(function() Sleep(5) end)
      local results = Parallel{
        function() return coroutine.resume(co) end,
        function() return coroutine.status(co) end,
      }
      return {results[2], coroutine.status(co)}`;
    expect(outputOf(source)).toEqual(['normal', 'dead']);
  });

  it('count in the frame of whoever resumes, and in one of their own that stays open between two resumes', () => {
    const source = `
      local co = coroutine.wrap(function()
        step("kept open", function() Sleep(1) coroutine.yield() Sleep(1) end)
        Sleep(1)
      end)
      co() Sleep(2) co() Sleep(2)`;
    expect(runFake(source).performed).toEqual(['sleep 0.0', 'sleep 1', 'sleep 0.1', 'sleep 2', 'sleep 3']);
  });

  it('fail inside as errors of the coroutine', () => {
    const source = `
      local co = coroutine.create(function() return pcall(File.read, "missing") end)
      return {coroutine.resume(co)}`;
    const perform = () => {
      throw new Error('no such file');
    };
    expect(outputOf(source, { perform })).toEqual([true, false, 'no such file']);
  });
});
