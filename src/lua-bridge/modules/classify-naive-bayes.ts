/** `tactus.text.classify.naive_bayes`: a classifier that has been trained and registered, which a worker in Python loads. */
export const classifyNaiveBayes = String.raw`
local base = require("tactus.text.classify.base")
local models = require("tactus.models.naive_bayes")
local NaiveBayesClassifier = base.class(base.BaseClassifier)

function NaiveBayesClassifier:init(config)
  base.BaseClassifier.init(self, config)
  if type(config.name) ~= "string" then
    error("a naive_bayes classifier needs a name: that of a registered model", 0)
  end
  self.name = config.name
  self.version = config.version or "latest"
  self.model = models.NaiveBayesModel(config)
end

local function found(output)
  return {value = output.label, confidence = output.confidence, raw_response = output}
end

function NaiveBayesClassifier:classify(given)
  if type(given) ~= "table" then return found(self.model({text = given}).output) end
  local inputs, results = {}, {}
  for i, text in ipairs(given) do inputs[i] = {text = text} end
  for i, answer in ipairs(self.model.predict_batch(inputs)) do results[i] = found(answer.output) end
  return results
end

return {NaiveBayesClassifier = NaiveBayesClassifier}
`;
