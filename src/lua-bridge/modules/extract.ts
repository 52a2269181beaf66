/** `tactus.text.extract`: fields of a text, as a language model reads them. */
export const extract = String.raw`
local base = require("tactus.text.extract.base")
return {
  class = base.class,
  BaseExtractor = base.BaseExtractor,
  LLMExtractor = require("tactus.text.extract.llm").LLMExtractor,
}
`;

export const extractBase = String.raw`
local class = require("tactus.text.class")
local BaseExtractor = class()

function BaseExtractor:init(config)
  self.config = config
  self.fields = config.fields or {}
  self.prompt = config.prompt or ""
  self.strict = config.strict ~= false
  self.max_retries = config.max_retries or 3
end

function BaseExtractor:extract(text) error("an extractor must have a function extract(self, text)") end

function BaseExtractor:__call(text) return self:extract(text) end

local truths = {["true"] = true, yes = true, ["1"] = true, ["false"] = false, no = false, ["0"] = false}
local readers = {
  string = function(value) if type(value) ~= "table" then return tostring(value) end end,
  number = tonumber,
  integer = function(value) return tonumber(value) and math.floor(tonumber(value)) end,
  boolean = function(value)
    if type(value) == "boolean" then return value end
    return truths[tostring(value):lower()]
  end,
  list = function(value) if type(value) == "table" then return value end end,
  object = function(value) if type(value) == "table" then return value end end,
}
readers.array, readers.dict = readers.list, readers.object

-- The value as its type has it; nil and a message where it can't be.
function BaseExtractor:validate_field(name, value, type_name)
  local read = readers[tostring(type_name):lower()]
  if value == nil or not read then return value end
  local made = read(value)
  if made == nil then return nil, "Field '" .. name .. "' must be of type " .. type_name end
  return made
end

function BaseExtractor:validate_fields(given, fields)
  local made, errors, names = {}, {}, {}
  for name in pairs(fields) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    local value, problem = self:validate_field(name, given[name], fields[name])
    if given[name] == nil and self.strict then problem = "Missing required field: " .. name end
    made[name] = value
    errors[#errors + 1] = problem
  end
  return made, errors
end

return {class = class, BaseExtractor = BaseExtractor}
`;

export const extractLlm = String.raw`
local ask = (...).ask
local base = require("tactus.text.extract.base")
local LLMExtractor = base.class(base.BaseExtractor)

local field_types = {list = "array", array = "array", dict = "object", object = "object", number = "number",
  integer = "integer", boolean = "boolean"}

function LLMExtractor:init(config)
  base.BaseExtractor.init(self, config)
  if type(config.fields) ~= "table" then error("an extractor needs fields = {…}", 0) end
  if not config.prompt then error("an extractor needs a prompt", 0) end
  self.name = config.name
  local output = {}
  for name, type_name in pairs(self.fields) do
    output[name] = {type = field_types[tostring(type_name):lower()] or "string", required = self.strict}
  end
  local agent = {
    model = config.model,
    temperature = config.temperature or 0.3,
    max_tokens = config.max_tokens,
    system_prompt = config.prompt .. "\n\nAnswer with a JSON object that has the fields which are asked for, and nothing else.",
    output = output,
  }
  self.agent = self.name and Agent(self.name, agent) or Agent(agent)
end

-- The object in an answer, which may stand between other words.
local function parse(answer)
  if type(answer) == "table" then return answer end
  local text = tostring(answer):match("%b{}")
  local ok, value = pcall(Json.decode, text or "")
  if ok and type(value) == "table" then return value end
  return nil
end

function LLMExtractor:extract(text)
  self.agent.clear_history()
  local message = "Extract from this text:\n\n" .. text
  local errors, answer
  for attempt = 0, self.max_retries do
    answer = ask(self.agent, {message = message}).output
    local given = parse(answer)
    local fields
    if given then fields, errors = self:validate_fields(given, self.fields) else errors = {"The answer is no JSON object"} end
    if #errors == 0 then
      return {fields = fields, retry_count = attempt, raw_response = type(answer) == "table" and Json.encode(answer) or answer}
    end
    message = "This can't be taken: " .. table.concat(errors, "; ") .. ". Answer again with the JSON object alone."
  end
  return {
    fields = {},
    error = "no answer fits after " .. self.max_retries .. " retries: " .. table.concat(errors, ", "),
    validation_errors = errors,
    retry_count = self.max_retries,
    raw_response = type(answer) == "table" and Json.encode(answer) or answer,
  }
end

return {LLMExtractor = LLMExtractor}
`;
