import type { Statement } from './statement.js';

const operators: [string, string][] = [
  ['__add', 'a + b'], ['__sub', 'a - b'], ['__mul', 'a * b'], ['__div', 'a / b'], ['__mod', 'a % b'], ['__pow', 'a ^ b'],
  ['__idiv', 'a // b'], ['__concat', 'a .. b'], ['__band', 'a & b'], ['__bor', 'a | b'], ['__bxor', 'a ~ b'], ['__shl', 'a << b'],
  ['__shr', 'a >> b'], ['__unm', '-a'], ['__bnot', '~a'], ['__len', '#a'], ['__eq', 'a == b'], ['__lt', 'a < b'], ['__le', 'a <= b'],
  ['__lt', 'a > b'], ['__le', 'a >= b'], ['__call', 'a(b, 1)'], ['__index', 'a.key'], ['__lt', 'a <= b'],
]; // prettier-ignore

export const metatables: Statement[] = [
  (v) => {
    const [event, expression] = v.random.pick(operators);
    const b = v.random.pick(['{}', 'setmetatable({}, mt)', v.any(), 'a']);
    return `local mt = {${event} = function(x, y) print(type(x), type(y)) return ${v.any()} end} local a = setmetatable({}, mt) local b = ${b} return ${expression}`;
  },
  (v) => {
    const [event, expression] = v.random.pick(operators);
    return `local b = setmetatable({}, {${event} = function(x, y) return type(x) .. type(y) end}) local a = ${v.any()} return ${expression}`;
  },
  (v) => `local t = setmetatable({}, {__index = function(t, k) return k .. ${v.mostly(() => v.text())} end}) return t.a, t[1], rawget(t, "a")`,
  (v) => `local log = {} local t = setmetatable({}, {__newindex = function(t, k, x) rawset(t, k, x) log[#log + 1] = k end}) t.a = 1 t.a = 2 t[${v.mostly(() => v.small())}] = ${v.any()} return t, log`,
  (v) => `local t = setmetatable({}, {__tostring = function() return ${v.mostly(() => v.text(), 0.8)} end}) return tostring(t), string.format("%s|%10s", t, t)`,
  (v) => `return tostring(setmetatable({}, {__name = ${v.mostly(() => '"Thing"', 0.8)}})):gsub("0x%x+", "0x")`,
  () => 'local t = setmetatable({}, {__name = "Thing"}) return t + 1',
  () => 'local t = setmetatable({}, {__name = "Thing"}) return t < t',
  () => 'local t = setmetatable({}, {__name = "Thing"}) return ("x"):rep(t)',
  (v) => `local t = setmetatable({}, {__metatable = ${v.any()}}) return getmetatable(t), pcall(setmetatable, t, {})`,
  (v) => `local t = setmetatable({}, {__len = function() return ${v.any()} end}) return #t, select("#", table.unpack(t))`,
  (v) => `local t = setmetatable({}, {__len = function() return ${v.small()} end, __index = function(_, i) return i * 2 end}) return table.concat(t, ","), ipairs(t)`,
  (v) => `local t = setmetatable({}, {__pairs = function() return function(_, k) k = (k or 0) + 1 if k < 4 then return k, ${v.any()} end end, nil, nil end}) for k, x in pairs(t) do print(k, x) end`,
  () => 'local A = {} A.__index = A function A.new(n) return setmetatable({n = n}, A) end function A:get() return self.n end local B = setmetatable({}, {__index = A}) B.__index = B local b = setmetatable(A.new(3), B) return b:get(), b.missing, getmetatable(b) == B',
  (v) => `local t = setmetatable({}, {__index = setmetatable({a = 1}, {__index = {b = ${v.any()}}})}) return t.a, t.b, t.c`,
  (v) => `local t = setmetatable({}, {__eq = function() return ${v.any()} end}) local u = setmetatable({}, getmetatable(t)) return t == u, t ~= u, t == 1, rawequal(t, u)`,
  (v) => `local c = setmetatable({}, {__concat = function(a, b) return "cat" end}) return c .. ${v.any()}, ${v.number()} .. c, "a" .. "b" .. c`,
  (v) => `local t = setmetatable({}, {__index = table}) t:insert(${v.small()}) t:insert("x") return t:concat("-"), #t`,
  () => 'return getmetatable("x")',
  () => 'local p = setmetatable({}, {__index = function(_, k) error("no field " .. k, 2) end}) return p.x',
  () => 'local p = setmetatable({}, {__newindex = function() error("read-only", 2) end}) p.x = 1',
  () => 'local t = setmetatable({}, {__call = function(self, ...) return select("#", ...), ... end}) return t(1, nil, 3), pcall(t, 4)',
]; // prettier-ignore
