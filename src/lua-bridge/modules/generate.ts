/** `tactus.generate`: text by a language model, as prose, Markdown or JSON. */
export const generate = String.raw`
local base = require("tactus.generate.base")
return {
  class = base.class,
  BaseGenerator = base.BaseGenerator,
  LLMGenerator = require("tactus.generate.llm").LLMGenerator,
}
`;

export const generateBase = String.raw`
local class = require("tactus.text.class")
local BaseGenerator = class()

function BaseGenerator:init(config)
  self.config = config
  self.name = config.name
  self.model = config.model
  self.temperature = config.temperature or 0.7
  self.max_tokens = config.max_tokens
  self.max_retries = config.max_retries or 2
  self.reasoning = config.reasoning or false
  self.output_format = config.output_format or "text"
  self.constraints = config.constraints
  self.system_prompt = config.system_prompt
  self.instructions = config.instructions
end

function BaseGenerator:generate(prompt) error("a generator must have a function generate(self, prompt)") end

function BaseGenerator:__call(prompt) return self:generate(prompt) end

local formats = {
  json = "Answer with JSON alone: no other words and no code block.",
  markdown = "Answer in Markdown.",
}

function BaseGenerator:build_system_prompt()
  local parts = {self.system_prompt or "You are a helpful assistant."}
  parts[#parts + 1] = formats[self.output_format]
  parts[#parts + 1] = self.reasoning and "First write REASONING: and how you come to your answer, then RESPONSE: and the answer." or nil
  parts[#parts + 1] = self.instructions
  local constraints = self.constraints
  if type(constraints) == "table" then constraints = table.concat(constraints, ", ") end
  parts[#parts + 1] = constraints and "Constraints: " .. constraints or nil
  return table.concat(parts, "\n\n")
end

return {class = class, BaseGenerator = BaseGenerator}
`;

export const generateLlm = String.raw`
local base = require("tactus.generate.base")
local LLMGenerator = base.class(base.BaseGenerator)

function LLMGenerator:init(config)
  base.BaseGenerator.init(self, config)
  local agent = {
    model = self.model,
    temperature = self.temperature,
    max_tokens = self.max_tokens,
    system_prompt = self:build_system_prompt(),
  }
  self.agent = self.name and Agent(self.name, agent) or Agent(agent)
end

-- The answer without the reasoning before it, and the reasoning.
local function split(text)
  local reasoning, response = text:match("REASONING:%s*(.-)%s*RESPONSE:%s*(.-)%s*$")
  if response then return response, reasoning end
  return text, nil
end

function LLMGenerator:validate_response(response)
  if response == "" then return false end
  return self.output_format ~= "json" or (pcall(Json.decode, response))
end

function LLMGenerator:generate(prompt)
  local text
  for attempt = 0, self.max_retries do
    self.agent.clear_history()
    text = tostring(self.agent({message = prompt}).output)
    local response, reasoning = text, nil
    if self.reasoning then response, reasoning = split(text) end
    if self:validate_response(response) then
      return {output = response, reasoning = reasoning, format = self.output_format, retry_count = attempt, raw_response = text}
    end
  end
  return {
    output = text,
    format = self.output_format,
    retry_count = self.max_retries,
    error = "no answer is " .. (self.output_format == "json" and "JSON" or "more than nothing") .. " after " .. self.max_retries .. " retries",
    raw_response = text,
  }
end

return {LLMGenerator = LLMGenerator}
`;
