---@meta _
-- Tools that agents and procedures call.

---What a tool is. Its function is the last item of the table, or the field `handler` or `run`.
---@class tactus.ToolConfig
---@field [1]? fun(args: table): any What it does; what it returns the model reads as JSON.
---@field name? string Without it, the global variable that holds the tool names it.
---@field description? string What the model reads of it.
---@field input? tactus.Fields Its arguments.
---@field parameters? tactus.Fields The same as `input`.
---@field output? tactus.Fields Taken, without effect.
---@field handler? fun(args: table): any
---@field run? fun(args: table): any
---@field use? string In place of a function: a tool of the worker, `"host.charge_card"`, of a worker in Python, `"python.score"`, or of an MCP server, `"mcp.files.read_file"`.
---@field http? string|tactus.HttpToolConfig In place of a function: a request that is sent with the arguments.
---@field provider? string In place of a function: a tool that the provider of the agent's model runs itself while it answers, `"openai.web_search"`.
---@field args? table<string, any> How such a tool is set up: `{ search_context_size = "low" }`.
---@field effect? "pure"|"idempotent"|"once" Of a tool outside of the procedure: what a second call does. `once` is never repeated blindly. Without it, as whoever has the tool says.
---@field idempotent? boolean The same as `effect = "idempotent"`.
---@field verify? fun(args: table): boolean|tactus.Verification? Finds out whether a `once` call was done that nobody has heard of again; nil: it can't tell.
---@field on_unknown? "ask"|"error" What becomes of such a call where nothing can tell: a person is asked, as without it, or it is an error.
---@field approval? boolean|"approve"|"deny"|"allow"|tactus.Approval Whether a person must say yes before it is called; of one that a provider runs, before each turn that has it.
---@field approve? boolean|"approve"|"deny"|"allow"|tactus.Approval The same as `approval`.
---@field transaction? boolean Whether a call that fails leaves state, session and files as they were; of a tool that is a function.
---@field timeout? tactus.Duration For one attempt at a call of a tool outside; 1 minute without it.
---@field retry? tactus.RetryPolicy How often a tool outside is called again that fails: twice without it, and never one that is `once`.
---@field retries? integer The same, without the waits.
---@field config? any Taken, without effect.

---What a tool sends when it is called: arguments stand where `{name}` is in the address, else in the query, or as JSON in the body.
---@class tactus.HttpToolConfig
---@field method? string `"GET"` without it.
---@field url string `"https://api.example/orders/{id}"`.
---@field headers? table<string, string|number|boolean|tactus.Secret>

---What became of a call.
---@class tactus.Verification
---@field done boolean Whether it was done.
---@field result? any What it gave.

---When a person must say yes, and who.
---@class tactus.Approval
---@field when? table<string, any> Only where arguments are so: `{ cents = { above = 100 }, to = "*@example.com" }`.
---@field action? "approve"|"deny"|"allow"
---@field approvers? string[] Who may say yes; anyone without it.
---@field timeout? tactus.Duration Nobody's answer in that time is a no.
---@field expires? tactus.Duration How long a yes holds for a call that isn't begun.
---@field remember? "tool"|"arguments" A yes holds for all later calls in the run, or for those with the same arguments.
---@field procedure? string Only in procedures of this name, with `*` for any characters.

---A tool, a toolset, the name of one (`"host.charge_card"`, `"mcp.files"`), some of the tools of a toolset; or an agent or a
---procedure that is called as a tool.
---@alias tactus.ToolReference tactus.Tool|tactus.Toolset|tactus.Agent|tactus.Procedure|string|tactus.ToolSelection|tactus.ToolConfig

---@class tactus.ToolSelection
---@field [1]? tactus.Tool|tactus.Toolset|string
---@field name? string
---@field toolset? string
---@field include? string[] Only these.
---@field exclude? string[] All but these.
---@field prefix? string Put before each name.
---@field rename? table<string, string>

---One call of a tool.
---@class tactus.ToolCall
---@field args table
---@field result any

---A tool. A call by the procedure is a checkpoint, as that of an agent is.
---@class tactus.Tool: userdata
---@overload fun(args?: table): any
---@field name string
---@field called fun(): boolean Whether it was called in this run.
---@field call_count fun(): integer
---@field last_call fun(): tactus.ToolCall? Nil where it wasn't called.
---@field last_result fun(): any
---@field reset fun() Forgets the calls.

---Declares a tool; with a name alone it finds one.
---```lua
---add = Tool {
---  description = "Adds two numbers",
---  input = { a = field.number{required = true}, b = field.number{required = true} },
---  function(args) return { sum = args.a + args.b } end,
---}
---```
---@class tactus.ToolLibrary
---@overload fun(config: tactus.ToolConfig): tactus.Tool
---@overload fun(name: string): tactus.Tool
---@overload fun(name: string, config: tactus.ToolConfig, body?: fun(args: table): any): tactus.Tool
Tool = {}

---The tool of this name.
---@param name string
---@return tactus.Tool
function Tool.get(name) end

---Whether the tool of this name was called in this run.
---@param name string
---@return boolean
function Tool.called(name) end

---How often the tool of this name was called.
---@param name string
---@return integer
function Tool.call_count(name) end

---The last call of the tool of this name.
---@param name string
---@return tactus.ToolCall?
function Tool.last_call(name) end

---What the tool of this name gave last.
---@param name string
---@return any
function Tool.last_result(name) end

---Forgets the calls of this tool, or of all.
---@param name? string
function Tool.reset(name) end

---`Tool` in the dialects of the design document and of 0.10.
---```lua
---tool "add" { description = "Adds", function(args) return args.a + args.b end }
---```
---@param name string|tactus.ToolConfig
---@param config? tactus.ToolConfig
---@param body? fun(args: table): any
---@return any tool The tool; with a name alone, what takes its table.
---@lenient
function tool(name, config, body) end

---Tools under one name.
---@class tactus.ToolsetConfig
---@field tools? tactus.ToolReference[]
---@field use? string `"./tools.tac"`: what that file declares or returns; `"mcp.files"`: all tools of an MCP server.
---@field server? string The MCP server, of the type `"mcp"`.
---@field type? "combined"|"filtered"|"lua"|"mcp"|"plugin"
---@field sources? string[] Of a combined one.
---@field source? string Of a filtered one.
---@field include? string[]
---@field exclude? string[]
---@field prefix? string
---@field rename? table<string, string>
---@field approval? boolean|"approve"|"deny"|"allow"|tactus.Approval Whether a person must say yes before one of its tools is called.

---@class tactus.Toolset: userdata
---@overload fun(config: tactus.ToolsetConfig): tactus.Toolset
---@field name string

---Declares tools under one name, which agents list as one.
---```lua
---sums = Toolset "sums" { tools = { add } }
---```
---@class tactus.ToolsetLibrary
---@overload fun(config: tactus.ToolsetConfig): tactus.Toolset
---@overload fun(name: string, config?: tactus.ToolsetConfig): tactus.Toolset
Toolset = {}

---The toolset, or the tool, of this name.
---@param name string
---@return tactus.Toolset
function Toolset.get(name) end

---One toolset of several.
---@param ... tactus.Toolset|tactus.Tool
---@return tactus.Toolset
function Toolset.combine(...) end

---Those of its tools for whose names the function gives true.
---@param toolset tactus.Toolset|tactus.Tool
---@param keep fun(name: string): boolean
---@return tactus.Toolset
function Toolset.filter(toolset, keep) end

---`Toolset` in the dialects of the design document and of 0.10.
---```lua
---toolset("sums", { tools = { "add" } })
---```
---@param name string|tactus.ToolsetConfig
---@param config? tactus.ToolsetConfig
---@return tactus.Toolset
---@lenient
function toolset(name, config) end

---Tools of the MCP servers that the worker is configured with: `mcp.server.tool`.
---```lua
---local found = mcp.library.search({ title = "Ulysses" })
---```
---@type table<string, table<string, tactus.Tool>>
mcp = {}
