import { classifySure } from './classify-sure.js';

/** A part of `tactus.text.classify` that follows its `base`: a list of texts is classified side by side, in a batch of the provider's where that is asked for. */
export const classifyMany = String.raw`${classifySure}
local ManyClassifier = base.class(SureClassifier)

function ManyClassifier:init(config)
  SureClassifier.init(self, config)
  if config.batch ~= nil and type(config.batch) ~= "boolean" then
    error("a classifier's batch must be true or false", 0)
  end
end

function ManyClassifier:classify(given)
  local is_list = type(given) == "table"
  if not is_list and not self.config.batch then return SureClassifier.classify(self, given) end
  local found = Parallel.map(is_list and given or {given}, function(text)
    return SureClassifier.classify(self, text)
  end, {batch = self.config.batch, concurrency = self.config.concurrency})
  return is_list and found or found[1]
end
`;
