---@meta _
-- Predictions by signatures: modules, the model that they ask, and what was said before.

---Settings of the model, as of an agent.
---@class tactus.LMConfig
---@field temperature? number From 0 to 2.
---@field max_tokens? integer Of one answer.
---@field model_type? string `"responses"`: it is asked by the API that OpenAI calls so; as a chat without it.
---@field request_timeout? tactus.Duration For one attempt at one call of the model.
---@field retries? integer
---@field retry? tactus.RetryPolicy
---@field top_p? number From 0 to 1, where the provider takes it.
---@field seed? integer Where the provider takes it.
---@field stop? string|string[] Texts at which the model stops.
---@field reasoning_effort? string As the provider names it: `"low"`.
---@field verbosity? string As the provider names it: `"low"`.
---@field api_key? string Taken, without effect: keys belong to the worker.
---@field api_base? string Taken, without effect: addresses belong to the worker.
---@field region? string Taken, without effect.

---A model with its settings. Called with other settings, it is that of the file with these.
---@class tactus.LM: userdata
---@overload fun(config?: tactus.LMConfig): tactus.LM
---@field model string
---@field model_type string
---@field kwargs table<string, any> The settings that were given.

---The model and its settings for modules that name none, from there on; for agents and models of the type `llm` too, in a
---file without `default_model` and `default_provider`.
---```lua
---LM("openai/gpt-5-mini", { temperature = 0 })
---```
---@param model string With its provider.
---@param config? tactus.LMConfig
---@return tactus.LM
function LM(model, config) end

---What `LM` said last; nil where it said nothing.
---```lua
---local model = get_current_lm().model
---```
---@return tactus.LM?
function get_current_lm() end

---What a model is given, and what it gives.
---@class tactus.SignatureConfig
---@field name? string
---@field instructions? string What the model is to do; without it, to make the outputs of the inputs.
---@field description? string The same as `instructions`.
---@field input? tactus.Fields All are needed but those with a default or `required = false`.
---@field output tactus.Fields In the order in which the model gives them.

---@class tactus.Signature: userdata
---@field name? string
---@field instructions? string
---@field input_fields table<string, table>
---@field output_fields table<string, table>

---What a module is given, and what it gives, as a text or as a table. In a text, types are written as Python has them:
---`str`, `int`, `float`, `bool`, `list[str]`, `dict`, `Literal["a", "b"]`, `Optional[int]`, `Any`; a field without one is
---a text. An input of the type `dspy.History` is what was said before.
---```lua
---rating = Signature("review: str -> stars: int, topics: list[str]")
---answer = Signature {
---  instructions = "Answer in one sentence.",
---  input = { question = field.string { description = "What a customer asks" } },
---  output = { answer = field.string {}, sure = field.boolean {} },
---}
---```
---@overload fun(name: string, config: tactus.SignatureConfig): tactus.Signature
---@param signature string|tactus.SignatureConfig
---@return tactus.Signature
function Signature(signature) end

---How a model is asked.
---@class tactus.ModuleConfig
---@field name? string Without it, the global variable that holds the module names it.
---@field signature string|tactus.Signature|tactus.SignatureConfig
---@field strategy? "predict"|"chain_of_thought"|"raw" `"chain_of_thought"`: it gives `reasoning` before the outputs. `"raw"`: it is sent `system_prompt`, `history` and `user_message` as they are, and gives `response`.
---@field provider? string
---@field model? string|string[]|tactus.ModelSettings Without it, that of `LM`, or the default. A list: each is asked where the one before it fails.
---@field model_settings? tactus.ModelSettings
---@field model_type? string `"responses"`: it is asked by the API that OpenAI calls so.
---@field temperature? number From 0 to 2.
---@field max_tokens? integer Of one answer.
---@field request_timeout? tactus.Duration For one attempt at one call of the model.
---@field retries? integer How often a call of the model that fails is tried again.
---@field retry? tactus.RetryPolicy
---@field top_p? number From 0 to 1, where the provider takes it.
---@field seed? integer Where the provider takes it.
---@field stop? string|string[] Texts at which the model stops.
---@field reasoning_effort? string As the provider names it: `"low"`.
---@field verbosity? string As the provider names it: `"low"`.
---@field tool_choice? "auto"|"required"|"none"|table Taken, without effect.
---@field input? tactus.Fields Taken, without effect: the signature says it.
---@field output? tactus.Fields Taken, without effect: the signature says it.
---@field verbose? boolean Taken, without effect.

---A module. A call asks the model, which is held to the outputs, and gives these by name.
---@class tactus.Module: userdata
---@overload fun(inputs: table<string, any>): table<string, any>
---@field name string
---@field strategy string
---@field signature tactus.Signature
---@field input_schema table<string, table>
---@field output_schema table<string, table>

---Declares a typed question to a language model. A prediction is a checkpoint, and gives the outputs of the signature as
---a table. An input that was left out, or that has another type, is an error; texts take any value. A `History` among
---them is sent as what was said before.
---```lua
---qa = Module { signature = "question -> answer", strategy = "chain_of_thought" }
---local found = qa({ question = "What is the capital of France?" })
---print(found.reasoning, found.answer)
---```
---@class tactus.ModuleLibrary
---@overload fun(config: tactus.ModuleConfig): tactus.Module
---@overload fun(name: string): fun(config: tactus.ModuleConfig): tactus.Module
---@overload fun(name: string, config: tactus.ModuleConfig): tactus.Module
Module = {}

---What was said before, as an input of a module. All can be called with a colon too.
---@class tactus.History: userdata
---@field add fun(message: tactus.Message|table<string, any>) Adds a message, or the fields of an earlier prediction.
---@field get fun(count?: number, tokens?: number): table[] All, or the last: so many, and within so many tokens.
---@field clear fun() Forgets them.
---@field truncate fun(count: number) Keeps the first alone.
---@field count_tokens fun(): integer As many as they may be.
---@field to_dspy fun(): tactus.History The history itself.

---Makes a list of messages for a module. It belongs to who made it, and is no part of the conversation of the run.
---```lua
---local before = History()
---before.add({ role = "user", content = "My name is Ann." })
---before.add({ question = "What is 2 + 2?", answer = "4" })
---local answer = qa({ question = "And 3 + 3?", history = before }).answer
---```
---@param messages? table[]
---@return tactus.History
function History(messages) end
