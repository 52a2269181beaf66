-- What the recorded cases take from the language, in plain Lua: the least with which they compute what they compute.
local kept, main, state = nil, nil, {}

local function filled(fields, given)
  local values = {}
  for name, config in pairs(fields or {}) do values[name] = type(config) == "table" and config.default or nil end
  for name, value in pairs(given or {}) do values[name] = value end
  return values
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

local function body(config)
  return config[1] or config.run
end

local function procedure(config)
  return function(given) return body(config)(filled(config.input, given)) end
end

local function Procedure(config)
  if type(config) == "string" then
    return function(rest)
      _G[config] = procedure(rest)
      return _G[config]
    end
  end
  for name, value in pairs(filled(config.state)) do state[name] = value end
  main = procedure(config)
  return main
end

local function input() end
local function output() end

local function Tool(config)
  local calls, last = 0, nil
  local tool = {
    called = function() return calls > 0 end,
    call_count = function() return calls end,
    last_result = function() return last end,
    last_call = function() return { result = last } end,
    reset = function() calls = 0 end,
  }
  return setmetatable(tool, { __call = function(_, args)
    calls = calls + 1
    last = body(config)(filled(config.input, args))
    return last
  end })
end

local models = {}
local function Model(config)
  if type(config) == "string" then
    return models[config] or function(rest) models[config] = Model(rest) end
  end
  local function predict() return { output = config.value } end
  return setmetatable({ predict = predict }, { __call = predict })
end

local State = {
  get = function(key, default) if state[key] == nil then return default end return state[key] end,
  set = function(key, value) state[key] = value end,
  increment = function(key, by) state[key] = (tonumber(state[key]) or 0) + (by or 1) return state[key] end,
  append = function(key, value) state[key] = state[key] or {} table.insert(state[key], value) end,
  all = function() return state end,
}

local function checkpoint(run) return run() end
local Step = { checkpoint = checkpoint }

local Retry = { with_backoff = function(run, options)
  for attempt = 1, options.max_attempts do
    local ok, result = pcall(run)
    if ok then return result end
    if attempt == options.max_attempts then error("Retry failed after " .. attempt .. " attempts: " .. tostring(result)) end
    if options.on_error then options.on_error({ attempt = attempt, max_attempts = options.max_attempts }) end
  end
end }
