/** A part of `tactus.text.classify` that follows its `base`: a language model classifies, and a person where it is less sure than `threshold`, or names no class. */
const classifySure = String.raw`
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

/** A part of `tactus.text.classify` that follows its `base`: a list of texts is classified side by side, in a batch of the provider's where that is asked for. */
const classifyMany = String.raw`${classifySure}
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

/** What there is beside a model and likeness. */
interface Others {
  methods: string;
  classes: string;
  /** What is said of a method that isn't there. */
  missing: string;
}

const noOthers: Others = {
  methods: '',
  classes: '',
  missing: String.raw`local why = method == "naive_bayes" and ", for there is no registry of trained models" or ""
    error("Classify: the method " .. tostring(method) .. " is not there" .. why .. "; llm and fuzzy are", 2)`,
};

const withNaiveBayes: Others = {
  methods: String.raw`
  naive_bayes = require("tactus.text.classify.naive_bayes").NaiveBayesClassifier,`,
  classes: String.raw`
  NaiveBayesClassifier = methods.naive_bayes,`,
  missing: String.raw`error("Classify: the method " .. tostring(method) .. " is not there; llm, fuzzy and naive_bayes are", 2)`,
};

/**
 * `tactus.text.classify`: one of several classes for a text, by a language model or by likeness.
 * @param llm the class that asks a model, and `before` what declares it
 */
const classifyBy = (llm: string, before = '', others = noOthers): string => String.raw`
local base = require("tactus.text.classify.base")${before}
local methods = {
  llm = ${llm},
  fuzzy = require("tactus.text.classify.fuzzy").FuzzyMatchClassifier,${others.methods}
}

local function Classify(config)
  local method = config.method or "llm"
  local classifier = methods[method]
  if not classifier then
    ${others.missing}
  end
  local made = classifier:new(config)
  if config.input ~= nil then return made:classify(config.input) end
  return made
end

return {
  class = base.class,
  BaseClassifier = base.BaseClassifier,
  LLMClassifier = methods.llm,
  FuzzyMatchClassifier = methods.fuzzy,
  Classify = Classify,${others.classes}
}
`;

export const classify = classifyBy('require("tactus.text.classify.llm").LLMClassifier');
/** That of engine 4, which asks a person where the model isn't sure. */
export const classifySurely = classifyBy('SureClassifier', classifySure);
/** That of engine 6, which takes lists of texts. */
export const classifyLists = classifyBy('ManyClassifier', classifyMany);
/** That of engine 8, which knows registered models. */
export const classifyByAll = classifyBy('ManyClassifier', classifyMany, withNaiveBayes);

export const classifyBase = String.raw`
local class = require("tactus.text.class")
local BaseClassifier = class()

function BaseClassifier:init(config) self.config = config end

function BaseClassifier:classify(text) error("a classifier must have a function classify(self, text)") end

function BaseClassifier:__call(text) return self:classify(text) end

return {class = class, BaseClassifier = BaseClassifier}
`;

export const classifyFuzzy = String.raw`
local similarity = (...).similarity
local base = require("tactus.text.classify.base")
local FuzzyMatchClassifier = base.class(base.BaseClassifier)

function FuzzyMatchClassifier:init(config)
  base.BaseClassifier.init(self, config)
  if not config.expected and not config.classes then
    error("a fuzzy classifier needs classes = {…}, or expected = \"…\"", 0)
  end
  self.expected = config.expected
  self.classes = config.classes or {"Yes", "No"}
  self.threshold = config.threshold or 0.8
  self.algorithm = config.algorithm or "ratio"
end

function FuzzyMatchClassifier:classify(text)
  local candidates = self.expected and {self.expected} or self.classes
  local best, score = nil, 0.0
  for _, candidate in ipairs(candidates) do
    local likeness = similarity(text, candidate, self.algorithm)
    if likeness > score then best, score = candidate, likeness end
  end
  local matches = score >= self.threshold
  local value = best
  if self.expected then value = self.classes[matches and 1 or 2] elseif not matches then value = "NO_MATCH" end
  return {
    value = value,
    confidence = matches and score or 1.0 - score,
    matched_text = matches and best or nil,
    retry_count = 0,
  }
end

return {FuzzyMatchClassifier = FuzzyMatchClassifier}
`;

export const classifyLlm = String.raw`
local ask = (...).ask
local base = require("tactus.text.classify.base")
local LLMClassifier = base.class(base.BaseClassifier)

function LLMClassifier:init(config)
  base.BaseClassifier.init(self, config)
  if type(config.classes) ~= "table" or #config.classes == 0 then error("a classifier needs classes = {…}", 0) end
  if not config.prompt then error("a classifier needs a prompt", 0) end
  self.name = config.name
  self.classes = config.classes
  self.max_retries = config.max_retries or 3
  self.confidence_mode = config.confidence_mode or "heuristic"
  local agent = {
    model = config.model,
    temperature = config.temperature,
    max_tokens = config.max_tokens,
    system_prompt = config.prompt .. "\n\nAnswer with one of: " .. table.concat(self.classes, ", "),
    output = {value = field.string{required = true, enum = self.classes}},
  }
  self.agent = self.name and Agent(self.name, agent) or Agent(agent)
end

-- The class that an answer names: alone, or as a word of its last lines.
function LLMClassifier:parse_response(response)
  local lines = {}
  for line in tostring(response or ""):gmatch("[^\n]+") do
    table.insert(lines, 1, (line:gsub("[%*\"'\x60]", ""):lower()))
  end
  for _, line in ipairs(lines) do
    for _, class in ipairs(self.classes) do
      if line:match("^%s*(.-)%s*$") == class:lower() then return class end
    end
    for _, class in ipairs(self.classes) do
      if (" " .. line:gsub("%W", " ") .. " "):find(" " .. class:lower():gsub("%W", " ") .. " ", 1, true) then
        return class
      end
    end
  end
  return nil
end

-- What a model wrote before its class, where it wrote more than that.
local function explanationIn(response, class)
  local lines = {}
  for line in tostring(response):gmatch("[^\n]+") do
    line = line:match("^%s*(.-)%s*$")
    if line ~= "" then lines[#lines + 1] = line end
  end
  if #lines > 0 and lines[#lines]:gsub("[%*\"'\x60]", ""):lower() == class:lower() then lines[#lines] = nil end
  return #lines > 0 and table.concat(lines, "\n") or nil
end

function LLMClassifier:classify(text)
  local answer
  for attempt = 0, self.max_retries do
    self.agent.clear_history()
    answer = ask(self.agent, {message = text}).output
    local form = type(answer) == "table" and answer or {value = answer}
    local given = form.value
    local value = self:parse_response(given)
    if value then
      return {
        value = value,
        confidence = form.confidence or self.confidence_mode == "heuristic" and 0.8 or nil,
        explanation = form.explanation or explanationIn(given, value),
        retry_count = attempt,
        raw_response = answer,
      }
    end
  end
  return {
    value = "ERROR",
    error = "none of the model's answers is one of the classes",
    retry_count = self.max_retries,
    raw_response = answer,
  }
end

return {LLMClassifier = LLMClassifier}
`;
