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
---@field use? string In place of a function: a tool that lives elsewhere, such as `"broker.host.ping"`.
---@field effect? string Taken, without effect.
---@field verify? fun(...: any): any Taken, without effect.
---@field timeout? tactus.Duration Taken, without effect.
---@field retry? any Taken, without effect.
---@field approval? any Taken, without effect.
---@field approve? any Taken, without effect.
---@field idempotent? boolean Taken, without effect.
---@field config? any Taken, without effect.

---A tool, a toolset, the name of one, or some of the tools of a toolset.
---@alias tactus.ToolReference tactus.Tool|tactus.Toolset|string|tactus.ToolSelection|tactus.ToolConfig

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
---@field use? string `"./tools.tac"`: what that file declares or returns.
---@field type? "combined"|"filtered"|"lua"|"mcp"|"plugin"
---@field sources? string[] Of a combined one.
---@field source? string Of a filtered one.
---@field include? string[]
---@field exclude? string[]
---@field prefix? string
---@field rename? table<string, string>

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

---Tools of MCP servers: `mcp.server.tool`. They can be named; a call is an error that can be caught.
---```lua
---local search = mcp.library.search
---```
---@type table<string, table<string, tactus.Tool>>
mcp = {}
