---@meta _
-- Graphs that run in super-steps: nodes side by side, whose writes go through reducers into channels.

---What a node returns. What is left out is empty.
---@class tactus.NodeResult
---@field writes? table<string, any> What goes to the channels, each through its reducer once.
---@field next? string|string[] Nodes of the next super-step. A node that several name runs once.
---@field ledger? { topic: string, key: string, data?: table }[] Events that are kept with the super-step, and are not in its channels: `graph-state --ledger`.
---@field intents? tactus.Intent[] Messages to send once the super-step is recorded: `graph-state --intents`.

---A message that a node wants sent. Other fields are kept with it.
---@class tactus.Intent: table
---@field type string Says which receiver of the worker's setting `outbox` gets it.
---@field payload? any
---@field [string] any

---What becomes of what is written to a channel: gets its value, nil at first, and the update, and returns the new value. It only computes.
---@alias tactus.ChannelReducer fun(current: any, update: any): any

---A graph's channels, nodes and bounds.
---@class tactus.GraphConfig
---@field name? string Left out: that of the global variable that holds the graph.
---@field description? string What an agent reads that has the graph as a tool.
---@field channels? table<string, tactus.ChannelReducer|tactus.Tool|true> By their names. `true`: what is written takes the place of the value. A tool gets `current` and `updates`, a list, once for each super-step that writes to the channel.
---@field nodes table<string, tactus.Tool|fun(state: table, context: table): tactus.NodeResult?> By their names. `state` has the values of the channels; both are read-only. A tool gets `state`, `context` and `thread`.
---@field entrypoint? string The first node; left out: the first by name.
---@field max_steps? integer 50 where it is left out. One more runs, then the call fails.

---A graph as it stands after a super-step.
---@class tactus.GraphSnapshot: table
---@field values table<string, any> Of the channels.
---@field metadata { step: integer, source: "input"|"loop"|"interrupted", writes: table<string, table> } `writes`: of each node.
---@field next_tasks string[] Nodes of the next super-step.
---@field checkpoint_id string
---@field parent_checkpoint_id? string Of the super-step before.
---@field created_at string ISO 8601 in UTC.
---@field interrupts { node: string, reason: string, payload: any }[] Waits of the nodes of this super-step.
---@field versions table<string, integer> Of each channel, the super-step that wrote it last.
---@field versions_seen table<string, table<string, integer>> Of each node, the versions that it was given last.
---@field graph string
---@field thread string

---A graph of this file. A call runs it inside the run of its caller, and gives its last snapshot.
---@class tactus.Graph: userdata
---@overload fun(input?: table, context?: table): tactus.GraphSnapshot

---Declares a graph. It runs in super-steps: the nodes of a step run side by side, each on the same read-only state; then all that
---they wrote goes through the reducers of the channels, in the order in which the nodes were named. It ends when no node is left to run.
---```lua
---research = Graph {
---  channels = { notes = Graph.append, answer = Graph.last },
---  entrypoint = "plan",
---  nodes = {
---    plan = function(state) return { next = { "web", "files" } } end,
---    web = function(state) return { writes = { notes = { "found on the web" } }, next = "answer" } end,
---    files = function(state) return { writes = { notes = { "found in files" } }, next = "answer" } end,
---    answer = function(state) return { writes = { answer = #state.notes .. " notes" } } end,
---  },
---}
---local answer = research({ notes = {} }).values.answer
---```
---@class tactus.GraphLibrary
---@overload fun(config: tactus.GraphConfig): tactus.Graph
Graph = {}

---Reducer of a channel that is a list: what is written is a list, whose items come after those that are there.
---@param current any[]?
---@param update any[]
---@return any[] list
function Graph.append(current, update) end

---Reducer of a channel that has what was written last.
---@param current any
---@param update any
---@return any update
function Graph.last(current, update) end

---Gives a reducer as `Graph.append`, which keeps the newest items alone.
---@param n integer So many.
---@return tactus.ChannelReducer reducer
function Graph.bounded(n) end

---Waits in a node until somebody decides, and gives what they said, which may be any JSON. Other nodes of the step go on.
---```lua
---local said = Graph.interrupt("send it?", { text = "Dear Ann" }, { timeout = "3d", default = { yes = false } })
---```
---@param reason string What people read.
---@param payload? any What is shown with it.
---@param options? { timeout?: tactus.Duration, default?: any, on_timeout?: "default"|"error", expires_at?: number|string, approvers?: string|string[], requester?: string, separation?: boolean, escalate_to?: any, channels?: string|string[], callback_url?: string, remind_every?: tactus.Duration, on_undelivered?: "escalate", metadata?: table, response_schema?: table, label?: string, placeholder?: string, input_type?: string, multiline?: boolean, required?: boolean } As of `Human.input`.
---@return any said
---@effect human
function Graph.interrupt(reason, payload, options) end
