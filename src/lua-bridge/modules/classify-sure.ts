/** A part of `tactus.text.classify` that follows its `base`: a language model classifies, and a person where it is less sure than `threshold`, or names no class. */
export const classifySure = String.raw`
local LLMClassifier = require("tactus.text.classify.llm").LLMClassifier
local SureClassifier = base.class(LLMClassifier)

function SureClassifier:init(config)
  LLMClassifier.init(self, config)
  local threshold = config.threshold
  if threshold ~= nil and (type(threshold) ~= "number" or threshold < 0 or threshold > 1) then
    error("a classifier's threshold must be a number from 0 to 1", 0)
  end
end

function SureClassifier:classify(text)
  local found = LLMClassifier.classify(self, text)
  local threshold = self.config.threshold
  local is_sure = found.value ~= "ERROR" and (found.confidence or 0) >= (threshold or 0)
  if threshold == nil or is_sure then return found end
  local request = {message = self.config.prompt, options = self.classes}
  for key, value in pairs(self.config.person or {}) do request[key] = value end
  request.context = {text = text, guess = found.value, confidence = found.confidence}
  return {value = Human.select(request), by_person = true, guess = found, retry_count = found.retry_count}
end
`;
