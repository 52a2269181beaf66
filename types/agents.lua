---@meta _
-- Agents: language models with a conversation and tools.

---What an agent is. Texts in prompts are templates: `{input.x}`, `{state.x}`, `{params.x}`, `{context.x}`, `{prepared.x}`.
---@class tactus.AgentConfig
---@needs system_prompt|initial_message|model|tools|toolsets|output|prepare|provider|inline_tools
---@field name? string Without it, the global variable that holds the agent names it.
---@field description? string Taken, without effect.
---@field provider? string `"openai"`, `"anthropic"` …
---@field model? string|tactus.ModelSettings Such as `"openai/gpt-5-mini"`; without it, the default.
---@field model_settings? tactus.ModelSettings
---@field model_type? string Taken, without effect.
---@field system_prompt? string|fun(): string A template, or a function that gives one for each turn.
---@field initial_message? string Sent in its first turn, where the call gives no message.
---@field tools? tactus.ToolReference[] Tools and toolsets that it may call.
---@field toolsets? tactus.ToolReference[] The same, as 0.10 spells it.
---@field inline_tools? tactus.ToolConfig[] Tools that are declared here; the agent's name stands before theirs.
---@field output? tactus.Fields The model must answer with these fields, and `result.output` is a table.
---@field output_schema? tactus.Fields The same as `output`.
---@field output_type? tactus.Fields The same as `output`.
---@field temperature? number From 0 to 2.
---@field max_tokens? integer Of one answer.
---@field tool_choice? "auto"|"required"|"none"|table
---@field request_timeout? tactus.Duration For one call of the model.
---@field max_tool_followup_rounds? integer Calls of the model after tools, in one turn.
---@field prepare? fun(): any Runs before each turn; what it gives is `{prepared.x}` in prompts.
---@field context? tactus.Context|string|table<string, any> Messages round the history, or values of `{context.x}`.
---@field message_history? tactus.HistoryConfig Whose history it is sent, and how much of it.
---@field session? tactus.HistoryConfig The same, as 0.10 spells it.
---@field filter? tactus.Filter What of its history it is sent.
---@field top_p? number Taken, without effect.
---@field seed? integer Taken, without effect.
---@field stop? any Taken, without effect.
---@field reasoning_effort? string Taken, without effect.
---@field verbosity? string Taken, without effect.
---@field disable_streaming? boolean Taken, without effect.
---@field response? table Taken, without effect.
---@field retry? table Taken, without effect: models are asked again as the worker is configured.
---@field request_limit? number Taken, without effect.
---@field max_turns? integer Taken, without effect.
---@field max_attempts? integer Taken, without effect.
---@field max_input_tokens? integer Taken, without effect.
---@field model_attempt_call_id? string Taken, without effect.
---@field module? any Taken, without effect.
---@field steering_enabled? boolean Taken, without effect.
---@field skills? any Taken, without effect.
---@field skills_mode? string Taken, without effect.

---@class tactus.ModelSettings
---@field name? string
---@field temperature? number
---@field max_tokens? integer
---@field request_timeout? tactus.Duration
---@field tool_choice? "auto"|"required"|"none"|table

---@class tactus.HistoryConfig
---@field source? string `"own"`, `"shared"`, or the name of another agent.
---@field filter? tactus.Filter

---What one turn is given. All other keys are values of `{params.x}` in prompts.
---@class tactus.TurnOptions
---@field message? string
---@field inject? string The same, as 0.10 spells it.
---@field tools? tactus.ToolReference[] In place of the agent's own.
---@field model? string
---@field temperature? number
---@field max_tokens? integer
---@field request_timeout? tactus.Duration
---@field tool_choice? "auto"|"required"|"none"|table
---@field system_prompt? string
---@field system_prompt_suffix? string Added to the system prompt.
---@field context? table<string, any> Values of `{context.x}`.
---@field [string] any

---What a turn gave.
---@class tactus.TurnResult
---@field output any Text, or a table where the agent declares an `output` or the text is an object or a list of JSON.
---@field usage tactus.TokenUsage
---@field text string The output as text.
---@field value any The output.
---@field data any The output.
---@field messages tactus.Message[] Those of this turn.
---@field cost fun(): tactus.TurnCost
---@field new_messages fun(): tactus.Message[] Those of this turn.
---@field all_messages fun(): tactus.Message[] The whole conversation.

---@class tactus.TokenUsage
---@field prompt_tokens integer
---@field completion_tokens integer
---@field total_tokens integer

---Tokens; prices of models aren't known, so the money is 0.
---@class tactus.TurnCost: tactus.TokenUsage
---@field total_cost number
---@field prompt_cost number
---@field completion_cost number

---An agent. A call is one turn: the model is asked, the tools that it calls run, until it answers with text or calls
---`done`.
---@class tactus.Agent: userdata
---@overload fun(message?: string): tactus.TurnResult
---@overload fun(options: tactus.TurnOptions): tactus.TurnResult
---@field name string
---@field output any What its last turn gave.
---@field usage? tactus.TokenUsage Of its last turn.
---@field messages tactus.Message[] Its conversation.
---@field history tactus.Message[] Its conversation.
---@field turn fun(options?: string|tactus.TurnOptions): tactus.TurnResult A turn, as 0.10 spells it.
---@field cost fun(): tactus.TurnCost Of its last turn.
---@field get_history fun(): tactus.Message[] Its conversation.
---@field clear_history fun() Forgets its conversation.

---What `Agent "name"` gives: the declared agent of that name, or what takes its table.
---@class tactus.NamedAgent: tactus.Agent
---@overload fun(config: tactus.AgentConfig): tactus.Agent
---@overload fun(message?: string): tactus.TurnResult

---Declares an agent.
---```lua
---writer = Agent {
---  model = "openai/gpt-5-mini",
---  system_prompt = "You write about {input.topic}.",
---}
---local text = writer({ message = "Begin" }).output
---```
---@class tactus.AgentLibrary
---@overload fun(config: tactus.AgentConfig): tactus.Agent
---@overload fun(name: string): tactus.NamedAgent
---@overload fun(name: string, config: tactus.AgentConfig): tactus.Agent
Agent = {}

---Asks one question, without an agent and without a conversation.
---@param question string|{ prompt: string, model?: string, system_prompt?: string, temperature?: number, max_tokens?: integer }
---@return tactus.TurnResult
---@effect model_call
function Agent.run(question) end

---`Agent` in the dialects of the design document and of 0.10: `agent("greeter", {…})` makes the global `Greeter`, which
---has all tools where it lists none.
---```lua
---agent("greeter", { system_prompt = "Greet", tools = { "done" } })
---main = procedure("main", function() return { text = Greeter.turn().text } end)
---```
---@class tactus.LowerAgentLibrary: tactus.AgentLibrary
---@overload fun(config: tactus.AgentConfig): tactus.Agent
---@overload fun(name: string): tactus.NamedAgent
---@overload fun(name: string, config: tactus.AgentConfig): tactus.Agent
agent = {}
