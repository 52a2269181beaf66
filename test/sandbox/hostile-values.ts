/**
 * Lua that makes a table `values` of what functions are called with: small and ordinary, very long, at the ends of a
 * range, and with metatables that lie. Each is a function, so that what one call does to a value is not seen by the next.
 */
export const hostileValues = String.raw`
local megabytes = 4 * 1024 * 1024
local function of(text) return text:rep(1024):rep(megabytes // 1024 // #text) end
local makers = {
  plain = function() return of("x") end,
  digits = function() return of("1") end,
  spaces = function() return of(" ") .. "1" end,
  zeros = function() return of("0") .. "!" end,
  percents = function() return of("%") end,
  dates = function() return of("%c") end,
  sets = function() return "[" .. of("a") end,
  signs = function() return of("\u{20ac}") end,
  continuations = function() return of("\x80") end,
  nuls = function() return of("\0") end,
  brackets = function() return of("[") end,
  numbers = function() return "[" .. of("1,") .. "1]" end,
  lines = function() return of("a,b\n") end,
  words = function() return of("ab ") end,
  captures = function() return of("()") end,
  braces = function() return of("{x}") end,
  pack = function() return of("i1") end,
  wide = function() return "c4000000" end,
  pattern = function() return of("a-") end,
  path = function() return of("a.") end,
}
-- Made when they are wanted: most calls want few of them.
local texts = setmetatable({}, {__index = function(made, name)
  made[name] = makers[name]()
  return made[name]
end})
local values = setmetatable({}, {__index = function(_, name) return function() return texts[name] end end})
local function add(name, make) values[name] = make end
local function constant(name, value) add(name, function() return value end) end
constant("none", nil)
constant("yes", true)
constant("word", "word")
constant("empty", "")
constant("one", 1)
constant("minus", -1)
constant("most", math.maxinteger)
constant("least", math.mininteger)
constant("beyond", 2.0 ^ 53)
constant("huge", 1.7976931348623157e308)
constant("tiny", 5e-324)
constant("nan", 0 / 0)
constant("infinite", math.huge)
constant("zero", -0.0)
constant("half", 0.5)
add("list", function() local t = {} for i = 1, 2000 do t[i] = i end return t end)
add("sparse", function() local t = {} for i = 0, 52 do t[2 ^ i] = i end return t end)
add("repeated", function() local t = {} for i = 1, 1000 do t[i] = texts.signs end return t end)
add("lists", function() local t = {1} for i = 1, 25 do t = {t, t} end return t end)
add("deep", function() local t = {} for i = 1, 3000 do t = {t} end return t end)
add("cycle", function() local t = {} t[1] = t return t end)
add("keys", function() return {[texts.plain] = 1, [texts.signs] = {[texts.words] = 2}} end)
add("own", function() return {__proto__ = {1}, constructor = 1, toString = "x", hasOwnProperty = false} end)
add("config", function() return {description = texts.plain, prompt = texts.braces, role = "user", content = texts.signs,
  type = "string", name = "n", system_prompt = texts.plain, message = texts.words, model = texts.plain, input = {}} end)
local function meta(fields) return function() return setmetatable({}, fields()) end end
add("lying", meta(function() return {__len = function() return math.maxinteger end} end))
add("longest", meta(function() return {__len = function() return 2 ^ 53 end} end))
add("negative", meta(function() return {__len = function() return math.mininteger end, __index = function() return 1 end} end))
add("answering", meta(function() return {__index = function(_, key) return key end, __len = function() return 100 end} end))
add("named", meta(function() return {__name = texts.plain, __tostring = function() return texts.signs end} end))
add("unprintable", meta(function() return {__tostring = function() return {} end, __name = 5} end))
add("failing", meta(function() return {__index = error, __newindex = error, __len = error, __concat = error, __tostring = error, __call = error,
  __lt = error, __le = error, __eq = error, __pairs = error, __unm = error, __add = error, __close = error} end))
add("endless", meta(function() return {__index = function(t) return t end, __call = function(t) return t end, __pairs = function(t) return t, t, t end,
  __concat = function(t) return t end, __lt = function() return true end, __metatable = texts.plain} end))
add("call", function() return function(...) return ... end end)
add("thrower", function() return function() error({code = texts.plain}) end end)
add("thread", function() return coroutine.create(function(...) return ... end) end)
`;
