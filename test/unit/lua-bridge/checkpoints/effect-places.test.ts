import { describe, expect, it } from 'vitest';
import { TactusError } from '../../../../src/contract/errors.js';
import { answerOf, outputOf, runFake, type Perform } from '../../../support/fake-host.js';

/** Everything that Lua calls by itself, with an effect in it. */
const places: Record<string, string> = {
  'the top level': 'return File.read("x")',
  pcall: 'return select(2, pcall(function() return File.read("x") end))',
  'pcall of the primitive itself': 'return select(2, pcall(File.read, "x"))',
  'nested pcalls': 'return select(3, pcall(pcall, function() return File.read("x") end))',
  xpcall: 'return select(2, xpcall(function() return File.read("x") end, print))',
  __index: 'return setmetatable({}, {__index = function(_, key) return File.read(key) end}).x',
  __newindex:
    'local got setmetatable({}, {__newindex = function(_, key) got = File.read(key) end}).x = 1 return got',
  __call: 'return setmetatable({}, {__call = function(_, key) return File.read(key) end})("x")',
  __add: 'return setmetatable({}, {__add = function() return File.read("x") end}) + 1',
  __sub: 'return 1 - setmetatable({}, {__sub = function() return File.read("x") end})',
  __mul: 'return setmetatable({}, {__mul = function() return File.read("x") end}) * 1',
  __div: 'return setmetatable({}, {__div = function() return File.read("x") end}) / 1',
  __mod: 'return setmetatable({}, {__mod = function() return File.read("x") end}) % 1',
  __pow: 'return setmetatable({}, {__pow = function() return File.read("x") end}) ^ 1',
  __idiv: 'return setmetatable({}, {__idiv = function() return File.read("x") end}) // 1',
  __unm: 'return -setmetatable({}, {__unm = function() return File.read("x") end})',
  __band: 'return setmetatable({}, {__band = function() return File.read("x") end}) & 1',
  __shl: 'return setmetatable({}, {__shl = function() return File.read("x") end}) << 1',
  __bnot: 'return ~setmetatable({}, {__bnot = function() return File.read("x") end})',
  __concat: 'return setmetatable({}, {__concat = function() return File.read("x") end}) .. "a"',
  '__concat amid others':
    'return "" .. setmetatable({}, {__concat = function(a, b) return File.read("x") end}) .. "b"',
  __len: 'return #setmetatable({}, {__len = function() return File.read("x") end})',
  __eq: 'local m = {__eq = function() return File.read("x") == "content of x" end} return setmetatable({}, m) == setmetatable({}, m) and "content of x"',
  __lt: 'local m = {__lt = function() return File.read("x") ~= nil end} return setmetatable({}, m) < setmetatable({}, m) and "content of x"',
  __le: 'local m = {__le = function() return File.read("x") ~= nil end} return setmetatable({}, m) <= setmetatable({}, m) and "content of x"',
  __pairs:
    'for _, v in pairs(setmetatable({}, {__pairs = function() local got = File.read("x") return next, {got} end})) do return v end',
  'an iterator':
    'for v in function(_, last) if last == nil then return File.read("x") end end do return v end',
  'the body of gmatch': 'for w in ("x"):gmatch("%a") do return File.read(w) end',
  'the body of ipairs': 'for _, w in ipairs{"x"} do return File.read(w) end',
  coroutine: 'return coroutine.wrap(function() return File.read("x") end)()',
  'coroutines in pcall in coroutines':
    'return coroutine.wrap(function() return select(2, pcall(coroutine.wrap(function() return File.read("x") end))) end)()',
  'a tail call': 'local function read(...) return File.read(...) end return read("x")',
  'a tool':
    'reader = Tool {description = "reads", input = {}, function() return File.read("x") end} return reader({})',
  'a required file': 'return require("reader")',
  'a step': 'return step("reads", function() return File.read("x") end)',
  'a checkpoint': 'return checkpoint(function() return File.read("x") end)',
  'a branch': 'return Parallel{function() return File.read("x") end}[1]',
  'a retry': 'return Retry.with_backoff(function() return File.read("x") end)',
  'an error handler after the error': 'local ok, got = pcall(error, "x") return File.read(got)',
};

describe('an effect can be asked for', () => {
  it.each(Object.entries(places))('in %s', (_place, source) => {
    const files = { 'reader.tac': 'return File.read("x")' };
    expect(outputOf(source, { files })).toBe('content of x');
    expect(outputOf(source, { files, limits: { sliceInstructions: 3 } })).toBe('content of x');
  });

  it('in a tool that an agent calls', () => {
    const source = `
      reader = Tool {description = "reads", input = {}, function() return File.read("x") end}
      worker = Agent {tools = {reader}}
      return worker("read").output .. worker.history[3].content`;
    const call = { id: 'c1', name: 'reader', arguments: {} };
    const perform: Perform = (effect, request) => {
      const answer = answerOf(effect, request);
      const isFirst = effect.kind === 'model_call' && effect.call.messages.length === 1;
      return isFirst ? { ...(answer as object), toolCalls: [call] } : answer;
    };
    expect(outputOf(source, { perform })).toBe('hellocontent of x');
  });
});

describe('where Lua cannot wait', () => {
  const refused: Record<string, string> = {
    'a comparator of table.sort': 'table.sort({2, 1},\nfunction(a, b) Sleep(1) return a < b end)',
    'a callback of string.gsub': 'string.gsub("abc", ".",\nfunction() Sleep(1) end)',
    __tostring: 'tostring(setmetatable({}, {__tostring =\nfunction() Sleep(1) return "x" end}))',
    '__tostring of what is printed':
      'print(setmetatable({}, {__tostring =\nfunction() Sleep(1) return "x" end}))',
    '__index that ipairs looks into':
      'for _ in ipairs(setmetatable({}, {__index =\nfunction() Sleep(1) end})) do end',
    'a message handler of xpcall':
      'local _, message = xpcall(error,\nfunction() return select(2, pcall(Sleep, 1)) end) error(message, 0)',
    'a coroutine resumed in a callback': 'string.gsub("abc", ".",\ncoroutine.wrap(function() Sleep(1) end))',
    'branches in a callback': 'string.gsub("abc", ".",\nfunction() Parallel{function() end} end)',
  };

  it.each(Object.entries(refused))(
    '%s gets an error that names the line and the way round',
    (_place, source) => {
      const { ended, performed } = runFake(source);
      expect(performed).toEqual([]);
      expect(ended).toMatchObject({ kind: 'failed' });
      const { message, code } = ended?.kind === 'failed' ? ended.error : new TactusError('internal', '');
      expect(message).toMatch(/main\.tac:2: can't wait here: .*; do it before, and use the result here$/);
      expect(['not_yieldable', 'lua_error']).toContain(code);
    },
  );

  it('it can be caught, and the effect asked for before', () => {
    const source = `
      local keys = {b = File.read("b"), a = File.read("a")}
      local order = {"b", "a"}
      table.sort(order, function(x, y) return keys[x] < keys[y] end)
      return order`;
    expect(outputOf(source)).toEqual(['a', 'b']);
  });
});
