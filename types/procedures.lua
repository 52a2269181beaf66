---@meta _
-- Procedures, what they take and give, and settings of a whole file.

---Seconds, or a text such as `"90s"`, `"5m"`, `"24h"`, `"7d"`; at most ten years.
---@alias tactus.Duration number|string

---A time from when it begins, or a moment with its zone: `"2030-01-31T09:00:00Z"`. When it passes, all that is under way inside is
---cancelled, and the call fails with `deadline_exceeded`. Of several, the earliest holds. Runs that are started inside have it too.
---@alias tactus.Deadline tactus.Duration

---Who is asked when something fails, as of `Human.select`.
---@class tactus.FailureQuestion
---@field approvers? string|string[]
---@field timeout? tactus.Duration
---@field default? "retry_here"|"retry"|"give_up" When the time is over: `"give_up"` without it.
---@field expires_at? number|string
---@field requester? string
---@field separation? boolean
---@field quorum? integer
---@field escalate_to? string|string[]|tactus.EscalationStage[]
---@field channels? string|string[]
---@field callback_url? string
---@field remind_every? tactus.Duration
---@field on_undelivered? "escalate"

---What a procedure declares of itself. Its function is the last item of the table, or the field `run`.
---@class tactus.ProcedureConfig
---@field [1]? fun(input: table): any What it does; what it returns is the run's output.
---@field name? string
---@field description? string What people and tools read of it.
---@field version? string|number
---@field author? string
---@field tags? string[]
---@field input? tactus.Fields What it takes. An input that isn't declared is refused.
---@field output? tactus.Fields|tactus.Field What it gives; checked when it ends.
---@field outputs? tactus.Fields|tactus.Field The same, as 0.10 spells it.
---@field state? tactus.Fields Fields of `state`, with their defaults.
---@field run? fun(input: table): any
---@field budget? tactus.Budget What one call of it may use.
---@field deadline? tactus.Deadline By which one call of it must end. That of the main procedure is for the whole run.
---@field on_failure? "ask"|false|tactus.FailureQuestion When a call of it fails, people are asked whether it is tried again from its beginning, what it gives instead, or that it fails. false asks nobody, whatever the configuration says.
---@field cancel_timeout? tactus.Duration Time for compensations and deferred functions when the run is cancelled: 5 minutes without it, at most 7 days. Of the main procedure.
---@field stages? string[] Stages that it goes through, in order: see `Stage`.
---@field message_history? { mode?: "shared"|"isolated", max_tokens?: integer } Holds for all agents that don't say otherwise. `"shared"`: they are sent what all of them said; `"isolated"`, as without it: what they said themselves.
---@field dependencies? table<string, table> Clients, by name: `{ type = "http_client", base_url = … }`. Other types are taken, without effect.
---@field prompts? table Taken, without effect.
---@field max_depth? integer Taken, without effect: depth is bounded by the limits of a run.
---@field max_turns? integer Taken, without effect: turns are bounded by the limits of a run.
---@field return_prompt? string Taken, without effect.
---@field error_prompt? string Taken, without effect.
---@field status_prompt? string Taken, without effect.
---@field async? boolean Taken, without effect: nothing blocks here.
---@field default_model? string Taken, without effect: write `default_model("…")`.
---@field default_provider? string Taken, without effect: write `default_provider("…")`.
---@field strict_determinism? boolean Time and chance outside of a checkpoint are an error.
---@field whole? boolean A call changes nothing but `state`, the session and conversations: no variable outside of it. A long run hands on what a call came to, and not its log.

---A procedure of this file. A call runs it inside the run of its caller, and gives what it returns.
---@class tactus.Procedure: userdata
---@overload fun(input?: table): any

---What `Procedure "name"` gives: the declared procedure of that name, or what takes its table.
---@class tactus.NamedProcedure: tactus.Procedure
---@overload fun(inputOrConfig?: table|tactus.ProcedureConfig): any

---How a run stands that this one has started.
---@class tactus.ChildStatus
---@field procedure_id string Id of its run.
---@field name? string Its file.
---@field status "running"|"completed"|"failed"|"cancelled"|"terminated"|"timed_out"
---@field result? any Its output, as soon as it has one.
---@field error? string
---@field started_at? string ISO 8601 in UTC.
---@field completed_at? string When this run was told of its end.

---Declares a procedure. The one without a name is the main one, with which a run begins.
---```lua
---Procedure {
---  input = { name = field.string{required = true} },
---  output = { greeting = field.string{} },
---  function(input)
---    return { greeting = "Hello, " .. input.name }
---  end,
---}
---```
---@class tactus.ProcedureLibrary
---@overload fun(config: tactus.ProcedureConfig): tactus.Procedure
---@overload fun(name: string): tactus.NamedProcedure
---@overload fun(name: string, config: tactus.ProcedureConfig, body?: fun(input: table): any): tactus.Procedure
---@overload fun(name: string, body: fun(input: table): any): tactus.Procedure
Procedure = {}

---Runs the procedure of another file as a run of its own, and waits for its output.
---@param file string|number Its name, below the folder of this file; written out, so that it can be shipped along.
---@param input? table
---@param options? { budget?: tactus.Budget } What it may use; what is left here without it.
---@return any output
---@effect procedure
function Procedure.run(file, input, options) end

---Starts the procedure of another file as a run of its own, and goes on. What nobody has waited for when this run ends
---is cancelled.
---@param file string|number Its name, below the folder of this file; written out, so that it can be shipped along.
---@param input? table
---@param options? { budget?: tactus.Budget } What it may use, and holds of the budgets here until it has ended; what is left here without it.
---@return string handle The id of its run.
---@effect spawn
function Procedure.spawn(file, input, options) end

---Waits for a spawned run; an error with the code `wait_timed_out` where that takes too long.
---@param handle string|number
---@param timeout? tactus.Duration|{ timeout: tactus.Duration }
---@return any output
---@effect children
function Procedure.wait(handle, timeout) end

---Waits for the first of several spawned runs to end.
---@param handles string[]
---@param timeout? tactus.Duration|{ timeout: tactus.Duration }
---@return string handle The one that has ended.
---@effect children
function Procedure.wait_any(handles, timeout) end

---Waits for several spawned runs.
---@param handles string[]
---@param timeout? tactus.Duration|{ timeout: tactus.Duration }
---@return any[] outputs In the order of the handles.
---@effect children
function Procedure.wait_all(handles, timeout) end

---How a spawned run stands. To wait for its end, `Procedure.wait` is better than asking in a loop.
---@param handle string|number
---@return tactus.ChildStatus
---@effect children
function Procedure.status(handle) end

---Whether a spawned run has ended.
---@param handle string|number
---@return boolean
---@effect children
function Procedure.is_complete(handle) end

---Whether all of them have ended.
---@param handles string[]
---@return boolean
---@effect children
function Procedure.all_complete(handles) end

---Cancels a run that this one has started.
---@param handle string
---@effect cancel_child
function Procedure.cancel(handle) end

---Puts a label on this run, by which lists find it. Runs that it starts later have it, too.
---```lua
---Procedure.label("customer", input.customer)
---```
---@param key string Letters, digits, `_`, `-` and `.`; 63 at most.
---@param value string|nil At most 100 characters; nil takes the label off. A run has at most 20 labels.
function Procedure.label(key, value) end

---Scores this run: how good its work is. The newest of a name holds. It is a checkpoint.
---```lua
---Procedure.score("grounded", answer.sources > 0, { comment = "sources are cited" })
---```
---@param name string Letters, digits, `_`, `-` and `.`; 63 at most. A procedure gives scores of at most 20 names.
---@param value number|boolean
---@param options? { comment?: string }
function Procedure.score(name, value, options) end

---Taken, and without effect, as in the reference.
---@param handle string
---@param message string
---@lenient
function Procedure.inject(handle, message) end

---Waits for runs that were started elsewhere.
---```lua
---local ended = Procedure.await_children{ children = { { id = "import-7" } }, mode = "all" }
---```
---@param wait { children: (string|{ id: string })[], mode?: "all"|"any" }
---@return { children: { id: string, status: string, terminal: boolean, output: any, error: string? }[], complete: true }
---@effect children
function Procedure.await_children(wait) end

---Goes on at a time of the calendar, by a durable timer.
---```lua
---Procedure.defer{ key = "opening", resume_at = "2030-01-31T09:00:00+01:00", reason = "the shop is closed" }
---```
---@param deferral { key: string, resume_at: string, reason: string } `resume_at`: ISO 8601 with a time zone.
---@return { completed: true, key: string, resume_at: string, reason: string }
---@effect defer
function Procedure.defer(deferral) end

---Ends this pass of the run: it begins again from the top, with another input and with its `state`, and without its log. For runs
---without an end, such as one that polls: each pass costs the same. Only the main procedure can call it, with at least one
---checkpoint before it and no spawned run under way. The id of the run, its budgets, events that nobody has waited for, and decisions are kept;
---local variables and conversations are not.
---```lua
---Procedure {
---  state = { seen = field.number{default = 0} },
---  function(input)
---    state.seen = state.seen + 1
---    Sleep("1h")
---    Procedure.continue_as_new(input)
---  end,
---}
---```
---@param input? table Of the next pass; left out: the same once more.
---@effect continue_as_new
function Procedure.continue_as_new(input) end

---`Procedure` in the dialect of the design document: each call has a state of its own.
---```lua
---main = procedure("main", { output = { n = field.number{} } }, function()
---  return { n = 1 }
---end)
---```
---@class tactus.LowerProcedureLibrary: tactus.ProcedureLibrary
---@overload fun(config: tactus.ProcedureConfig): tactus.Procedure
---@overload fun(name: string): tactus.NamedProcedure
---@overload fun(name: string, config: tactus.ProcedureConfig, body?: fun(input: table): any): tactus.Procedure
---@overload fun(name: string, body: fun(input: table): any): tactus.Procedure
procedure = {}

---Experiments: some runs go one way, some another, and `compare` shows what came of each.
---```lua
---local tone = Experiment.variant("tone", { "plain", "warm" })
---```
---@class tactus.ExperimentLibrary
Experiment = {}

---Which variant of an experiment this run has. It follows from the id of the run, and never changes for it. It is a checkpoint. A mock
---of the name of the experiment says which one a test has.
---@param name string Letters, digits, `_`, `-` and `.`; 63 at most. A run has variants in at most 20 experiments.
---@param variants string[]|table<string, number> 2 to 20 names, or names with weights, such as `{ plain = 9, warm = 1 }`.
---@return string variant
function Experiment.variant(name, variants) end
