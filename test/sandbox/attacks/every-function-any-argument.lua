-- Calls everything that can be reached with arguments that make no sense. All must end as plain Lua errors or values.
local seen, callables = {}, {}
local function collect(value, depth)
  if seen[value] or depth > 3 then return end
  if type(value) == "function" or type(value) == "userdata" then seen[value] = true callables[#callables + 1] = value end
  if type(value) == "table" then
    seen[value] = true
    for _, each in pairs(value) do collect(each, depth + 1) end
  end
end
local names = {}
for name in pairs(_G) do if name ~= "pcall" then names[#names + 1] = name end end
table.sort(names)
for _, name in ipairs(names) do collect(_G[name], 0) end
for _, library in ipairs{Agent, Human, Tool, Model, Procedure, Parallel, Step, Log, Json, File, Retry, http_client, field, Checkpoint, input, state} do
  for _, name in ipairs{
    "run", "approve", "input", "review", "called", "call_count", "last_call", "last_result", "reset", "get", "map", "post", "request",
    "checkpoint", "info", "warn", "error", "encode", "decode", "read", "write", "exists", "size", "with_backoff",
    "string", "number", "object", "next_position", "all", "clear", "append", "increment", "set",
  } do
    local ok, value = pcall(function() return library[name] end)
    if ok and value ~= nil then collect(value, 0) end
  end
end
local cycle = {} cycle.cycle = cycle
local values = {
  function() end, coroutine.create(function() end), Agent, Human, state, cycle, setmetatable({}, {__index = error, __tostring = error}),
  0/0, 1/0, -1/0, 2^53, -1, 1.5, "", "\255", "x\0y", "constructor", "__proto__", true, {}, {1, 2, x = 3}, {[1.5] = 1}, {type = "x"},
  {message = {}}, {prompt = 1}, {tools = 1}, {tools = {1}}, {model = 1}, {input = 1}, {input = {x = 1}}, {output = 1},
}
local calls, errors = 0, 0
local function try(fn, ...)
  calls = calls + 1
  local ok, message = pcall(fn, ...)
  if not ok then
    errors = errors + 1
    if type(message) == "string" and message:find("internal") then error("internal: " .. message, 0) end
  end
end
for _, fn in ipairs(callables) do
  -- A wrong declaration ends the run whatever catches it, so what declares is tried elsewhere.
  local declares = fn == Agent or fn == agent or fn == Model or fn == model or fn == Procedure or fn == procedure or fn == Tool
    or fn == Graph or fn == PlanningTools or fn == tool or fn == Toolset or fn == toolset or fn == Mocks or fn == mocks
    or fn == Corpus or fn == Retriever or fn == Task or fn == IncludeTasks or fn == LM or fn == Module or fn == Signature or fn == DSPyAgent
    or fn == input or fn == output or fn == state or fn == Agent.run
  if not declares and fn ~= pcall and fn ~= print and fn ~= error and fn ~= Sleep and fn ~= require and fn ~= xpcall then
    try(fn)
    for i, value in ipairs(values) do
      try(fn, value)
      try(fn, value, values[(i + 3) % #values + 1])
      if i % 2 == 0 then try(fn, values[(i * 7) % #values + 1], value, values[(i * 5) % #values + 1]) end
    end
  end
end
return {many = calls > 5000, errors = errors > 1000}
