---@meta _
-- Models that predict, and classifiers.

---What a model is. Its type is `"http"` or `"mock"`.
---@class tactus.ModelConfig
---@needs type|training
---@field type? "http"|"llm"|"mock"|string
---@field name? string Taken, without effect.
---@field version? string|number Taken, without effect.
---@field description? string Taken, without effect.
---@field input? tactus.Fields|tactus.Field What it takes.
---@field output? tactus.Fields|tactus.Field|string What it gives.
---@field value? any Of a mock: what it gives.
---@field endpoint? string Of `"http"`: where the input is posted as JSON.
---@field timeout? tactus.Duration Of `"http"`: 30 seconds without it.
---@field headers? table<string, string> Of `"http"`.
---@field retries? integer Of `"http"`: how often it is tried again.
---@field retry? tactus.RetryPolicy Of `"http"`.
---@field cost_per_call? number Taken, without effect.
---@field path? string Of types that aren't there yet.
---@field device? string Of types that aren't there yet.
---@field labels? any Of types that aren't there yet.
---@field model? string|string[] Of `"llm"`. A list: each is asked where the one before it fails.
---@field revision? string Of types that aren't there yet.
---@field system_prompt? string Of `"llm"`.
---@field provider? string Of `"llm"`.
---@field temperature? number Of `"llm"`.
---@field max_tokens? integer Of `"llm"`.
---@field model_type? string Of `"llm"`: `"responses"`, as of an agent.
---@field background? boolean Of `"llm"`, as of an agent.
---@field request_timeout? tactus.Duration Of `"llm"`: for one attempt; 5 minutes without it.
---@field idle_timeout? tactus.Duration Of `"llm"`: for which it may send nothing.
---@field fallback? any Of types that aren't there yet.
---@field members? any Of types that aren't there yet.
---@field strategy? string Of types that aren't there yet.
---@field arms? any Of types that aren't there yet.
---@field weights? any Of types that aren't there yet.
---@field seed? integer Of types that aren't there yet.
---@field training? table Of types that aren't there yet.
---@field registry? string Of types that aren't there yet.
---@field tokenizer? string Of types that aren't there yet.
---@field threshold? number Of types that aren't there yet.
---@field method? string Of types that aren't there yet.
---@field region? string Of types that aren't there yet.
---@field framework? string Of types that aren't there yet.
---@field user_message? string Of types that aren't there yet.
---@field prompt? string Of types that aren't there yet.
---@field max_length? integer Of types that aren't there yet.

---What a prediction gave.
---@class tactus.Prediction
---@field output any
---@field cost? number

---A model. `Model` wraps what it gives as `{ output = … }`, `model` doesn't.
---@class tactus.Model
---@overload fun(input?: any): any
---@field predict fun(input?: any): any

---What `Model "name"` gives: the declared model of that name, or what takes its table.
---@class tactus.NamedModel: tactus.Model
---@overload fun(inputOrConfig?: any|tactus.ModelConfig): any

---Declares a model that predicts. A prediction is a checkpoint.
---```lua
---mood = Model { type = "http", endpoint = "https://models.example/mood", input = { text = "string" } }
---local label = mood({ text = "Lovely!" }).output
---```
---@class tactus.ModelLibrary
---@overload fun(config: tactus.ModelConfig): tactus.Model
---@overload fun(name: string): tactus.NamedModel
---@overload fun(name: string, config: tactus.ModelConfig): tactus.Model
Model = {}

---`Model` in the dialects of the design document and of 0.10: predictions are given as they are.
---```lua
---model("mood", { type = "mock", value = "calm" })
---local label = Model("mood").predict("Lovely!")
---```
---@class tactus.LowerModelLibrary
---@overload fun(config: tactus.ModelConfig): tactus.Model
---@overload fun(name: string): tactus.NamedModel
---@overload fun(name: string, config: tactus.ModelConfig): tactus.Model
model = {}

---How a text is classified.
---@class tactus.ClassifyConfig
---@lenient
---@field method? "llm"|"fuzzy" By a language model, or by likeness.
---@field classes string[]
---@field prompt? string What the model is asked; needed with `"llm"`.
---@field name? string
---@field model? string
---@field temperature? number
---@field max_tokens? integer
---@field max_retries? integer
---@field confidence_mode? "heuristic"|"none"
---@field expected? string With `"fuzzy"`: the one text that is compared with.
---@field threshold? number With `"fuzzy"`: how alike it must be, 0.8 without it. With `"llm"`: how sure the model must be; else a person is asked.
---@field person? table With `"llm"`: what the request to that person says, such as `timeout`, `default` and `approvers`.
---@field algorithm? string With `"fuzzy"`: `"ratio"` without it.
---@field input? string|string[] Classifies this at once.
---@field batch? boolean With `"llm"`: the model is asked in batches of its provider, for half of the price and within a day.
---@field concurrency? integer With `"llm"`: how many texts of a list at once; all of them without it.

---@class tactus.Classification
---@field value string The class; `"NO_MATCH"` or `"ERROR"` where there is none.
---@field confidence? number From 0 to 1.
---@field explanation? string
---@field matched_text? string
---@field retry_count integer
---@field raw_response? any
---@field error? string
---@field by_person? boolean Whether a person said so, as the model wasn't sure.
---@field guess? tactus.Classification What the model said then.

---@class tactus.Classifier
---@overload fun(text: string): tactus.Classification
---@overload fun(texts: string[]): tactus.Classification[]
---@field classify fun(self: tactus.Classifier, text: string): tactus.Classification

---One of several classes for a text; with `input`, gives the classification at once. With `"llm"`, a list of texts gives a list, and the
---texts are classified side by side.
---```lua
---local topic = Classify { method = "fuzzy", classes = { "billing", "delivery" } }
---local found = topic("billling").value
---```
---@param config tactus.ClassifyConfig
---@return tactus.Classifier|tactus.Classification
function Classify(config) end

---What `ClassifyProcedure` asks, and of what. Its messages may be lists of texts, which stand below each other.
---@class tactus.ClassifyProcedureConfig: tactus.ClassifyConfig
---@lenient
---@field system_message? string|string[] What the model is told.
---@field user_message? string|string[] What is classified, with `{{ text }}`, `{{ metadata.name }}` and `{{ results[0].name }}` in it.
---@field prompt? string|string[] In place of both: what the model is told, and the text stands for itself.
---@field input_field? string The field of the input that has the text: `"text"` without it.

---The main procedure of a file that does nothing but classify: it takes a text (and `metadata` and `results`, for the
---message), and gives `value` and `explanation`.
---```lua
---ClassifyProcedure {
---  classes = { "yes", "no" },
---  system_message = "Is the customer greeted?",
---  user_message = "The talk, on {{ metadata.day }}: {{ text }}",
---}
---```
---@param config tactus.ClassifyProcedureConfig
---@return tactus.Procedure
function ClassifyProcedure(config) end
