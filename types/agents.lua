---@meta _
-- Agents: language models with a conversation and tools.

---What an agent is. Texts in prompts are templates: `{input.x}`, `{state.x}`, `{params.x}`, `{context.x}`, `{prepared.x}`.
---@class tactus.AgentConfig
---@needs system_prompt|initial_message|model|tools|toolsets|output|prepare|provider|inline_tools
---@field name? string Without it, the global variable that holds the agent names it.
---@field description? string What a model reads of it where it is a tool of another agent.
---@field provider? string `"openai"`, `"anthropic"` …
---@field model? string|string[]|tactus.ModelSettings Such as `"openai/gpt-5-mini"`; without it, the default. A list: each is asked where the one before it fails.
---@field model_settings? tactus.ModelSettings
---@field model_type? string `"responses"`: it is asked by the API that OpenAI calls so; as a chat without it.
---@field background? boolean With `model_type = "responses"` of OpenAI and Azure: the provider goes on with the answer, whatever becomes of the worker that waits for it. An attempt may take an hour then, unless `request_timeout` says otherwise.
---@field system_prompt? string|fun(session: tactus.SessionLibrary): string A template, or a function that gives one for each turn, by what the session has.
---@field initial_message? string Sent in its first turn, where the call gives no message.
---@field tools? tactus.ToolReference[] Tools and toolsets that it may call.
---@field toolsets? tactus.ToolReference[] The same, as 0.10 spells it.
---@field inline_tools? tactus.ToolConfig[] Tools that are declared here; the agent's name stands before theirs.
---@field output? tactus.Fields|tactus.Field The model must answer with these fields, and `result.output` is a table; or with one value, `field.integer {}`.
---@field output_schema? tactus.Fields|tactus.Field The same as `output`.
---@field output_type? tactus.Fields|tactus.Field The same as `output`.
---@field temperature? number From 0 to 2.
---@field max_tokens? integer Of one answer.
---@field tool_choice? "auto"|"required"|"none"|tactus.ToolChoice
---@field stop_at_tools? string|string[] Tools that end a turn: what the first of them gives is its output. One that fails doesn't.
---@field request_timeout? tactus.Duration For one attempt at one call of the model; 5 minutes without it.
---@field idle_timeout? tactus.Duration For which the model may send nothing, before its first words or between two; 0: as long as the attempt may take, as without it.
---@field retries? integer How often a call of the model that fails is tried again: 9 times without it, and twice where an answer came that can't be used.
---@field retry? tactus.RetryPolicy The same, with the waits in between.
---@field max_tool_followup_rounds? integer Calls of the model after tools, in one turn.
---@field prepare? fun(): any Runs before each turn; what it gives is `{prepared.x}` in prompts.
---@field context? tactus.Context|string|table<string, any> Messages round the history, or values of `{context.x}`.
---@field message_history? tactus.HistoryConfig Whose history it is sent, and how much of it.
---@field session? tactus.HistoryConfig The same, as 0.10 spells it.
---@field filter? tactus.Filter What of its history it is sent.
---@field budget? tactus.Budget What it may use in all of its turns.
---@field deadline? tactus.Deadline By which each of its turns must end, with all calls of its model and its tools.
---@field top_p? number From 0 to 1, where the provider takes it.
---@field seed? integer Where the provider takes it.
---@field stop? string|string[] Texts at which the model stops.
---@field reasoning_effort? string As the provider names it: `"low"`.
---@field verbosity? string As the provider names it: `"low"`.
---@field disable_streaming? boolean Taken, without effect.
---@field response? table Taken, without effect.
---@field request_limit? number Taken, without effect.
---@field max_turns? integer Taken, without effect.
---@field max_attempts? integer Taken, without effect.
---@field max_input_tokens? integer Taken, without effect.
---@field model_attempt_call_id? string Taken, without effect.
---@field module? any Taken, without effect.
---@field steering_enabled? boolean Taken, without effect.
---@field code_mode? boolean|{ approval?: boolean|"deny"|table } It writes procedures over its tools in place of calling them one by one; a person says yes to each where `approval` or the policy of tools says so (as `code.<agent>`).
---@field skills? string|string[] Folders with `SKILL.md` files, or such files: instructions that it is told of.
---@field skills_mode? "metadata"|"full" Whether it is told their names and reads what it needs by the tool `read_skill`, as without it, or all of them.

---The tool that the model must call first in a turn; after that it is free.
---@class tactus.ToolChoice
---@field name? string By which the model sees it, or its own.
---@field type? string Taken, as providers write it.
---@field function? table `{ name = "lookup" }`, as some providers write it.

---How often what fails is tried again, and how long is waited in between. Who answers that it is too busy, and says when to
---come back, is asked again then, for an hour in all where nobody has said how often.
---@class tactus.RetryPolicy
---@field attempts? integer In all, the first included.
---@field retries? integer After the first.
---@field enabled? boolean false: there is one attempt.
---@field delay_seconds? tactus.Duration Before the second attempt; a second without it.
---@field delay? tactus.Duration The same.
---@field max_delay_seconds? tactus.Duration The longest wait; a minute without it.
---@field total_seconds? tactus.Duration How long a call of an agent, a model or a tool is tried; an attempt that is waited for by then is the last. What fails on its way is tried for so long however often, where `attempts` aren't said.
---@field backoff? "constant"|"exponential" Whether each wait is twice as long as the one before: it is without it.
---@field on? "infra_only"|"validation_only"|"infra_plus_validation" What fails on its way, answers that can't be used, or both.
---@field jitter? boolean Taken, without effect.

---@class tactus.ModelSettings
---@field name? string
---@field temperature? number
---@field max_tokens? integer
---@field request_timeout? tactus.Duration
---@field idle_timeout? tactus.Duration
---@field retries? integer
---@field retry? tactus.RetryPolicy
---@field tool_choice? "auto"|"required"|"none"|tactus.ToolChoice

---@class tactus.HistoryConfig
---@field source? string `"own"`, `"shared"`, or the name of another agent.
---@field mode? "isolated"|"shared" `"isolated"`: each turn is sent what it says itself alone, and nothing of it is kept. `"shared"`: it is sent what all agents said.
---@field filter? tactus.Filter
---@field compact? false|tactus.Compaction When the older part of its conversation is summed up.

---A long conversation is summed up by a model: the summary stands in place of all but the newest messages.
---@class tactus.Compaction
---@field over integer Tokens of the conversation past which it is; four characters are taken for one.
---@field keep? integer Tokens of the newest messages that stay; a quarter of `over` without it.
---@field model? string Which model is asked; that of the agent without it.
---@field prompt? string What it is asked for.

---What one turn says of its history.
---@class tactus.TurnHistory
---@field mode? "isolated"|"shared" As in `tactus.HistoryConfig`.

---What one turn is given. All other keys are values of `{params.x}` in prompts.
---@class tactus.TurnOptions
---@field message? string
---@field inject? string The same, as 0.10 spells it.
---@field tools? tactus.ToolReference[] In place of the agent's own.
---@field model? string|string[]
---@field temperature? number
---@field max_tokens? integer
---@field request_timeout? tactus.Duration
---@field idle_timeout? tactus.Duration
---@field retries? integer
---@field retry? tactus.RetryPolicy
---@field tool_choice? "auto"|"required"|"none"|tactus.ToolChoice
---@field system_prompt? string
---@field system_prompt_suffix? string Added to the system prompt.
---@field budget? tactus.Budget What this turn may use.
---@field deadline? tactus.Deadline By which this turn must end; that of the agent without it.
---@field message_history? tactus.TurnHistory Whether this turn is sent what was said before.
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
---@field exhausted? tactus.Exhausted The budget that it stopped for before it had an answer; the output is what the model said last then, or nil.
---@field confidence? number How sure the model is of the label that it chose, from 0 to 1, where it says so: the local one does.
---@field confidences? table<string, number> The same for each label.
---@field sources? tactus.Source[] Pages that the provider's own tools found for the answer, each once.
---@field provider_calls? tactus.ProviderCall[] What the provider ran itself, of the tools that it has.
---@field cost fun(): tactus.TurnCost
---@field new_messages fun(): tactus.Message[] Those of this turn.
---@field all_messages fun(): tactus.Message[] The whole conversation.

---A page that a provider's tool found. Not every provider tells its title.
---@class tactus.Source
---@field url string
---@field title? string

---A call of a tool that the provider runs itself: what it gave is in the answer.
---@class tactus.ProviderCall
---@field name string That of the tool.
---@field arguments any What it was called with, as far as the provider tells.

---@class tactus.TokenUsage
---@field prompt_tokens integer
---@field completion_tokens integer
---@field total_tokens integer

---Tokens, and US dollars: 0 where the model's price isn't known.
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

---Declares an agent, as `Agent` does.
---```lua
---helper = DSPyAgent { system_prompt = "You help with {input.topic}." }
---```
---@param config? tactus.AgentConfig Without it, gives what takes one.
---@return tactus.Agent
function DSPyAgent(config) end

---Asks one question, without an agent and without a conversation.
---@param question string|{ prompt: string, model?: string|string[], system_prompt?: string, temperature?: number, max_tokens?: integer, request_timeout?: tactus.Duration, idle_timeout?: tactus.Duration, deadline?: tactus.Deadline }
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
