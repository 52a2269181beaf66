-- Tools, models, and agents that call their first tool once and then say a canned text.
local function lookedUp(name, what)
  if globals[name] == nil then error(what .. " '" .. name .. "' is not defined", 3) end
  return globals[name]
end

local function newTool(config)
  local calls, last = 0, nil
  local tool = {
    called = function() return calls > 0 end,
    call_count = function() return calls end,
    last_result = function() return last and last.result end,
    last_call = function() return last end,
    reset = function() calls, last = 0, nil end,
  }
  return setmetatable(tool, { __call = function(_, args)
    calls = calls + 1
    local values = filled(config.input, args)
    last = { args = values }
    last.result = body(config)(values)
    return last.result
  end })
end

local Tool = setmetatable({
  get = function(name) return lookedUp(name, "Tool") end,
  called = function(name) return lookedUp(name, "Tool").called() end,
  last_call = function(name) return lookedUp(name, "Tool").last_call() end,
  last_result = function(name) return lookedUp(name, "Tool").last_result() end,
}, { __call = function(_, config)
  if type(config) == "string" then return lookedUp(config, "Tool") end
  return newTool(config)
end })

local models
atBegin(function() models = {} end)

local function Model(config)
  if type(config) == "string" then
    return models[config] or function(rest) models[config] = Model(rest) end
  end
  local function predict(given)
    for name in pairs(type(config.input) == "table" and config.input or {}) do
      if given[name] == nil then error("Model input validation failed: " .. name .. " is missing") end
    end
    return { output = config.value }
  end
  return setmetatable({ predict = predict }, { __call = function(_, given) return predict(given) end })
end

-- `{state.k}` and the like; what has no value stays as it is.
local function rendered(template, scopes)
  return (template:gsub("{(%w+)%.?(%w*)}", function(scope, key)
    local values = scopes[scope]
    return values and values[key] ~= nil and tostring(values[key]) or nil
  end))
end

local function Agent(config)
  local agent, messages = { history = {} }, nil
  messages = agent.history
  local function say(role, content) messages[#messages + 1] = { role = role, content = content } end
  return setmetatable(agent, { __call = function(_, turn)
    turn = turn or {}
    local scopes = { state = state, input = given, params = turn, context = turn }
    if #messages == 0 then say("system", rendered(config.system_prompt, scopes)) end
    say("user", turn.message or rendered(config.initial_message, scopes))
    local tool = config.tools and config.tools[1]
    if tool and not tool.called() then
      local result = tool({ q = turn.message })
      say("tool", type(result) == "table" and "answer: " .. tostring(result.answer) or tostring(result))
    end
    say("assistant", "turn " .. #messages .. " after: " .. messages[#messages].content)
    agent.output = messages[#messages].content
    return { output = agent.output, usage = { prompt_tokens = 10, completion_tokens = 5, total_tokens = 15 } }
  end })
end
