-- What the recorded cases take from the language, in plain Lua: the least with which they compute what they compute.
-- The other files here go on in the same scope. What a run leaves behind is in tables that `begin` makes anew.
local globals, begins = _G, {}
local main, state, kept = nil, nil, nil

local function atBegin(begin)
  begins[#begins + 1] = begin
end

local function filled(fields, given)
  local values = {}
  for name, config in pairs(fields or {}) do values[name] = type(config) == "table" and config.default or nil end
  for name, value in pairs(given or {}) do values[name] = value end
  return values
end

local function body(config)
  return config[1] or config.run
end

local function whatever(answer)
  return setmetatable({}, { __index = function() return function() return answer end end })
end

local field = setmetatable({}, { __index = function() return function(config) return config end end })
local Log, Human = whatever(nil), whatever(true)
local function print(...)
  for i = 1, select("#", ...) do kept = tostring((select(i, ...))) end
end
local Sleep, Specification, Mocks = function() end, function() end, function() end

local seed
atBegin(function() seed = 1 end)

local math = { abs = math.abs, ceil = math.ceil, floor = math.floor, max = math.max, min = math.min,
  pi = math.pi, huge = math.huge, sqrt = math.sqrt, random = function(most)
    seed = seed * 16807 % 2147483647
    return most and seed % most + 1 or seed / 2147483647
  end }
local os = { time = function() return 1767322845 end, clock = function() return 0 end,
  date = function() return "2026-01-02" end, getenv = function() end }
