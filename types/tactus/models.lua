---@meta tactus.models

---@class tactus.ModelOfModule
---@field name? string What it is called in the log; of a registered model, its name there.
---@field model? string
---@field path? string
---@field prompt? string
---@field version? string

local models = {}

---A model of the type `"llm"`, which answers with `{response = …}`. `prompt` is what it is told.
---@param config tactus.ModelOfModule
---@return tactus.Model
function models.LLMModel(config) end

---A model of the type `"registry"`, which answers with `{label, confidence}`.
---@param config tactus.ModelOfModule
---@return tactus.Model
function models.NaiveBayesModel(config) end

---A model of the type `"hf_sequence_classifier"`, which answers with `{label, confidence, scores}`.
---@param config tactus.ModelOfModule
---@return tactus.Model
function models.HFSequenceClassifierModel(config) end

return models
