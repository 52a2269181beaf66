---@meta _
-- What a model is sent: messages, the conversation of a run, and what of it.

---@class tactus.Message
---@lenient
---@field role "system"|"user"|"assistant"|"tool"
---@field content string
---@field id? integer In the conversation of the run.

---Makes a message for `MessageHistory.append`.
---```lua
---MessageHistory.append(Message { role = "user", content = "Where is my parcel?" })
---```
---@param message tactus.Message|string
---@return tactus.Message
function Message(message) end

---What of a history an agent is sent: one of `filters`, or a function of the messages that gives those to send.
---@alias tactus.Filter tactus.FilterTable|fun(messages: tactus.Message[]): tactus.Message[]

---@class tactus.FilterTable
---@field filter string
---@field value any

---What of its history an agent is sent.
---```lua
---writer = Agent { system_prompt = "Write", message_history = { filter = filters.last_n(10) } }
---```
---@class tactus.FilterLibrary
filters = {}

---The last messages.
---@param count number
---@return tactus.FilterTable
function filters.last_n(count) end

---The first messages.
---@param count number
---@return tactus.FilterTable
function filters.first_n(count) end

---The last messages within so many tokens.
---@param tokens number
---@return tactus.FilterTable
function filters.token_budget(tokens) end

---The first messages within so many tokens.
---@param tokens number
---@return tactus.FilterTable
function filters.head_tokens(tokens) end

---The last messages within so many tokens.
---@param tokens number
---@return tactus.FilterTable
function filters.tail_tokens(tokens) end

---The messages of one role.
---@param role "system"|"user"|"assistant"|"tool"
---@return tactus.FilterTable
---@lenient
function filters.by_role(role) end

---The system messages at the beginning.
---@return tactus.FilterTable
function filters.system_prefix() end

---Several filters, one after the other.
---@param ... tactus.Filter
---@return tactus.FilterTable
function filters.compose(...) end

---The conversation of the run, in which all agents take part: what is added here each of them sees, what is taken away
---none sees any longer.
---```lua
---MessageHistory.append({ role = "user", content = "My name is Ann." })
---MessageHistory.keep_tail(20)
---```
---@class tactus.MessageHistoryLibrary
MessageHistory = {}

---Adds a message.
---@param message tactus.Message|string
function MessageHistory.append(message) end

---Adds a system message.
---@param text string
function MessageHistory.inject_system(text) end

---Takes all messages away.
function MessageHistory.clear() end

---All messages.
---@return tactus.Message[]
function MessageHistory.get() end

---Puts these messages in place of all.
---@param messages tactus.Message[]
function MessageHistory.replace(messages) end

---Keeps the system messages at the beginning, or what `keep` says.
---@param options? { keep?: "system_prefix"|"system_all"|"none" }
---@lenient
function MessageHistory.reset(options) end

---The first messages.
---@param count? number
---@return tactus.Message[]
function MessageHistory.head(count) end

---The last messages.
---@param count? number
---@return tactus.Message[]
function MessageHistory.tail(count) end

---Messages from one place to another, both counted from 1.
---@param range { start?: integer, stop?: integer }
---@return tactus.Message[]
---@lenient
function MessageHistory.slice(range) end

---The last messages within so many tokens.
---@param tokens? number
---@return tactus.Message[]
function MessageHistory.tail_tokens(tokens) end

---Keeps the first messages alone.
---@param count? number
function MessageHistory.keep_head(count) end

---Keeps the last messages alone.
---@param count? number
function MessageHistory.keep_tail(count) end

---Keeps the last messages within so many tokens.
---@param tokens? number
function MessageHistory.keep_tail_tokens(tokens) end

---Takes the last messages away.
---@param count? number
function MessageHistory.rewind(count) end

---Takes away what came after a message, or after the checkpoint of this name.
---@param target string|integer
function MessageHistory.rewind_to(target) end

---Names the place of the last message, for `rewind_to`.
---@param name? string
---@return integer? id Of the last message; nil where there is none.
---@lenient
function MessageHistory.checkpoint(name) end

---@class tactus.Context
---@field name? string

---A place in the messages that a Context makes.
---@class tactus.ContextDirective
---@field type "system"|"user"|"assistant"|"history"|"context"

---A template with its values.
---@class tactus.Template
---@field template string
---@field vars? table<string, any>

---How much a pack may have: tokens, counted as words, or a share of `input_budget`.
---@class tactus.PackBudget
---@field max_tokens? integer
---@field ratio? number

---What a retriever finds, or another Context makes.
---@class tactus.Pack
---@field name tactus.Retriever|tactus.Context|string
---@field budget? tactus.PackBudget
---@field weight? number Its share of what all packs may have, against the others; 1 without it.
---@field priority? number Those with more have their share first.

---How much a model is sent, and what becomes of what is more. Tokens are counted as words.
---@class tactus.ContextPolicy
---@field input_budget? tactus.PackBudget Of all that is sent.
---@field pack_budget? { default_max_tokens?: integer, default_ratio?: number } Of all packs together.
---@field overflow? "compact" What is too much is cut: packs, then the oldest messages, then the system prompt. Without it, it is sent.
---@field compactor? { type?: "truncate"|"summary" } Cuts after so many words, or leaves the first sentence.
---@field max_iterations? integer How often it is tried with smaller packs: 2 without it.
---@field expansion? { max_pages?: integer, min_fill_ratio?: number } Further pages of a retriever, until a pack is filled.

---@class tactus.ContextConfig
---@field name? string
---@field messages? tactus.ContextDirective[] Without it: the system prompt with the packs, and the conversation.
---@field packs? (tactus.Retriever|tactus.Context|tactus.Pack|string)[]|tactus.Retriever|tactus.Context|string Where no messages are listed.
---@field policy? tactus.ContextPolicy

---Declares the messages that a model is sent, in their order.
---```lua
---shop = Context {
---  messages = { system("You sell kettles."), history(), user(template("About {topic}", { topic = "tea" })) },
---}
---seller = Agent { context = shop, system_prompt = "Be brief." }
---```
---@param config tactus.ContextConfig
---@return tactus.Context
function Context(config) end

---A system message of a `Context`.
---```lua
---system("You sell kettles.")
---```
---@param content string|tactus.Template
---@return tactus.ContextDirective
function system(content) end

---A user message of a `Context`.
---```lua
---user("Where is my parcel?")
---```
---@param content string|tactus.Template
---@return tactus.ContextDirective
function user(content) end

---A message of the model in a `Context`.
---```lua
---assistant("How can I help?")
---```
---@param content string|tactus.Template
---@return tactus.ContextDirective
function assistant(content) end

---A text with places for values, for `system`, `user` and `assistant`.
---```lua
---user(template("About {topic}", { topic = "tea" }))
---```
---@param text string
---@param values? table<string, any>
---@return tactus.Template
---@lenient
function template(text, values) end

---The place of the conversation in a `Context`.
---```lua
---Context { messages = { system("Be brief."), history() } }
---```
---@return tactus.ContextDirective
function history() end

---The place of what a retriever finds for the question of a turn, or of what another Context makes, in the system prompt.
---```lua
---Context { messages = { system("Answer by these notes:"), context(search, { max_tokens = 300 }), history() } }
---```
---@param pack tactus.Retriever|tactus.Context|string
---@param budget? tactus.PackBudget
---@return tactus.ContextDirective
function context(pack, budget) end
