/** `tactus.models`: models of three types, by functions. */
export const models = String.raw`
return {
  LLMModel = require("tactus.models.llm").LLMModel,
  NaiveBayesModel = require("tactus.models.naive_bayes").NaiveBayesModel,
  HFSequenceClassifierModel = require("tactus.models.hf_sequence_classifier").HFSequenceClassifierModel,
}
`;

/** Declares a model of what a function was given, by its keys; one of the same name may be there already. */
const declare = String.raw`
local common = {"timeout", "retries", "retry", "task_queue", "batch_size", "cost_per_call"}

local function declare(name, config, keys, fields)
  for _, list in ipairs{keys, common} do
    for _, key in ipairs(list) do fields[key] = config[key] end
  end
  fields.input = {text = "string"}
  return Model(name, fields)
end
`;

export const llmModel = String.raw`${declare}
local keys = {"model", "provider", "temperature", "max_tokens", "reasoning_effort", "verbosity"}

local function LLMModel(config)
  if not config.prompt then error("LLMModel needs a prompt", 2) end
  return declare(config.name or "llm_model", config, keys, {
    type = "llm",
    system_prompt = config.system_prompt or config.prompt,
    output = {response = "string"},
  })
end

return {LLMModel = LLMModel}
`;

export const naiveBayesModel = String.raw`${declare}
local keys = {"registry_dir", "trusted", "labels", "fallback"}

local function NaiveBayesModel(config)
  if type(config.name) ~= "string" then error("NaiveBayesModel needs a name: that of a registered model", 2) end
  return declare(config.name, config, keys, {
    type = "registry",
    name = config.name,
    version = config.version or "latest",
    output = {label = "string", confidence = "number"},
  })
end

return {NaiveBayesModel = NaiveBayesModel}
`;

export const hfModel = String.raw`${declare}
local keys = {"model", "path", "revision", "device", "dtype", "max_length"}

local function HFSequenceClassifierModel(config)
  if not (config.model or config.path) then error("HFSequenceClassifierModel needs a model", 2) end
  return declare(config.name or "hf_sequence_classifier", config, keys, {
    type = "hf_sequence_classifier",
    output = {label = "string", confidence = "number"},
  })
end

return {HFSequenceClassifierModel = HFSequenceClassifierModel}
`;
