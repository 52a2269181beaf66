/** `ClassifyProcedure {…}`: a main procedure that finds one class for a text of its input. */
export const classifyProcedure = String.raw`
local Classify = require("tactus.text.classify").Classify

-- What is the procedure's own; the rest is for the classifier.
local own = {input = true, input_field = true, system_message = true, user_message = true, prompt = true}
local known = {text = true, metadata = true, results = true}

local function joined(message)
  if type(message) == "table" then return table.concat(message, "\n\n") end
  return message
end

-- The instructions, and the template of what is classified; without one the text stands for itself.
local function messagesOf(config)
  local system, user, prompt = config.system_message, config.user_message or config.prompt, config.prompt
  if system and user then return joined(system), joined(user) end
  if prompt and not config.user_message and not system then return joined(prompt), nil end
  error("ClassifyProcedure needs system_message and user_message, or a prompt", 0)
end

local function check(template)
  local wrong = template:match("{%%.-%%}") or template:match("{#.-#}")
  for inner in template:gmatch("{{(.-)}}") do
    local path = inner:match("^%s*([%w_%.%[%]]+)%s*$")
    if not (path and known[path:match("^[%w_]+")]) then wrong = wrong or "{{" .. inner .. "}}" end
  end
  if wrong then
    error("ClassifyProcedure: user_message can't have " .. wrong
      .. "; {{ text }}, {{ metadata.name }} and {{ results[0].name }} are what it may have", 0)
  end
end

local function valueAt(values, path)
  local value = values
  for key in path:gmatch("[%w_]+") do
    if type(value) ~= "table" then return nil end
    local index = math.tointeger(tonumber(key))
    value = index and value[index + 1] or value[key]
  end
  return value
end

local function filled(template, values)
  return (template:gsub("{{%s*([%w_%.%[%]]+)%s*}}", function(path)
    local value = valueAt(values, path)
    if value == nil then return "" end
    return type(value) == "table" and Json.encode(value) or tostring(value)
  end))
end

local function ClassifyProcedure(config)
  local instructions, template = messagesOf(config)
  if template then check(template) end
  local name = config.input_field or "text"
  local settings = {prompt = instructions}
  for key, value in pairs(config) do
    if not own[key] then settings[key] = value end
  end
  local classify = Classify(settings)
  return Procedure {
    input = {
      metadata = field.object{},
      results = field.array{},
      [name] = field.string{required = true},
    },
    output = {value = field.string{}, explanation = field.string{}},
    function(input)
      local text = input[name]
      local values = {text = text, metadata = input.metadata, results = input.results}
      local found = classify(template and filled(template, values) or text)
      return {value = tostring(found.value), explanation = found.explanation or ""}
    end,
  }
end

return {ClassifyProcedure = ClassifyProcedure}
`;
