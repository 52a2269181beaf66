-- Procedures, also those of other files, which the host of the case puts here as functions: `files["sub_ok"]`.
local files = {}
-- The input of the run.
local given

local function procedure(config)
  return function(values) return body(config)(filled(config.input, values)) end
end

local function declare(_, config)
  if type(config) == "string" then
    return function(rest)
      globals[config] = procedure(rest)
      return globals[config]
    end
  end
  for name, value in pairs(filled(config.state)) do state[name] = value end
  main = function(values)
    given = filled(config.input, values)
    return body(config)(given)
  end
  return main
end

-- What a file does as a whole: its main procedure, else the file is the script itself.
local function perform(file, values)
  main = nil
  local value = file()
  if main == nil then return value end
  return main(values)
end

local function apart(name, values)
  if files[name] == nil then error("Procedure file not found: " .. name, 2) end
  local outer, outerState, outerInput = main, state, given
  state = {}
  local ok, result = pcall(perform, files[name], values)
  main, state, given = outer, outerState, outerInput
  if not ok then error(result, 0) end
  return result
end

local Procedure = setmetatable({
  run = apart,
  spawn = function(name, values) return { name = name, result = apart(name, values) } end,
  wait = function(handle) return handle.result end,
  defer = function(request)
    return { completed = true, key = request.key, resume_at = request.resume_at, reason = request.reason }
  end,
}, { __call = declare })

-- Script mode: the declarations stand at the top of the file and hold for the rest of it.
local input = setmetatable({}, { __call = function(values, fields)
  for name, value in pairs(filled(fields, given)) do values[name] = value end
end })
local function output() end
