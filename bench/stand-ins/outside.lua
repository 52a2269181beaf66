-- Files, modules, and what a procedure finds when it looks around.
local written
atBegin(function() written = {} end)

local function inside(path)
  if path:find("..", 1, true) then error("Path traversal detected: " .. path, 3) end
  return path
end

local File = {
  write = function(path, text) written[inside(path)] = text return true end,
  read = function(path) return written[inside(path)] or error("File not found: " .. path, 2) end,
  exists = function(path) return written[inside(path)] ~= nil end,
  size = function(path) return #written[inside(path)] end,
}

local builtIn = {
  ["tactus.tools.done"] = function()
    return newTool({ input = { reason = { default = "" } }, function(args) return { done = true, reason = args.reason } end })
  end,
}
local modules
atBegin(function() modules = {} end)

local function require(name)
  if modules[name] == nil then
    local load = builtIn[name] or files[name] or error("module '" .. name .. "' not found", 2)
    modules[name] = load()
  end
  return modules[name]
end

-- Cases look into `_G` for names of the language only.
local _G = { require = require, os = os, math = math, coroutine = coroutine, utf8 = utf8, table = table, string = string,
  pcall = pcall, xpcall = xpcall, getmetatable = getmetatable, rawget = rawget, Human = Human, Step = Step,
  Checkpoint = Checkpoint, File = File, Retry = Retry, Sleep = Sleep, Agent = Agent, Model = Model, Tool = Tool,
  Procedure = Procedure, checkpoint = checkpoint, State = State, input = input }

-- A whole run of a file, from nothing.
local function run(file, values)
  for _, begin in ipairs(begins) do begin() end
  given = values
  for name in pairs(input) do input[name] = nil end
  return perform(file, values)
end

-- A result as text that is the same wherever it is written.
local function textOf(value)
  if type(value) ~= "table" then return type(value) .. " " .. tostring(value) end
  local entries = {}
  for key, each in pairs(value) do entries[#entries + 1] = tostring(key) .. " = " .. textOf(each) end
  table.sort(entries)
  return "{" .. table.concat(entries, ", ") .. "}"
end
