---@meta tactus.text.classify

local classify = {}

---See `Classify`.
---@overload fun(config: tactus.ClassifyConfig): tactus.Classifier
---@param config tactus.ClassifyConfig
---@return tactus.Classification
function classify.Classify(config) end

---A class that others are made of: `class(base)` has `:new(config)`, which calls `init`.
---@param base? table
---@return table
function classify.class(base) end

---@class tactus.ClassifierClass
---@field new fun(self: tactus.ClassifierClass, config: tactus.ClassifyConfig): tactus.Classifier

---@type tactus.ClassifierClass
classify.BaseClassifier = {}

---Asks a language model.
---@type tactus.ClassifierClass
classify.LLMClassifier = {}

---Goes by likeness.
---@type tactus.ClassifierClass
classify.FuzzyMatchClassifier = {}

---Asks a registered model, which a worker in Python loads.
---@type tactus.ClassifierClass
classify.NaiveBayesClassifier = {}

return classify
