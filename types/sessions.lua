---@meta _
-- Sessions: what a run knows of its work, in slices, with a plan; and the tools by which agents keep the plan.

---How a slice takes what is appended: `"append_all"` keeps every item, as without it; `"replace_latest"` the newest alone;
---`{"upsert_by", "id"}` puts an item in the place of the one with the same `id`, `{"replace_latest_by", "id"}` at the end; a function
---is given the items and the new one, and returns the new list.
---@alias tactus.Reducer "append_all"|"replace_latest"|string[]|fun(items: any[], item: any): any[]

---@class tactus.SliceOptions
---@field reducer? tactus.Reducer

---A list of values in the session. `findings.append(x)` and `findings:append(x)` are the same.
---@class tactus.Slice: userdata
---@field name string
---@field append fun(item: any) Adds an item by the reducer of the slice.
---@field latest fun(): any The newest item; nil where there is none.
---@field all fun(): any[] All items, the oldest first.
---@field where fun(predicate: fun(item: any): boolean): any[] The items for which the function returns true.
---@field seed fun(items: any) Puts these items, or this one, in the place of all, past the reducer.
---@field observe fun(observer: fun(before: any[], after: any[])): fun(): boolean Calls the function after each change, with the items that were there and those that are. One that fails is shown as a warning, and keeps no other from being called. Returns a function that takes it back, and true the first time.
---@field clear fun(predicate?: fun(item: any): boolean) Removes all items, or those for which the function returns true.

---What a run knows of its work: lists of values, by name. It costs no activity and no event, and all parts of a run share it.
---```lua
---local findings = Session.slice("findings", { reducer = {"upsert_by", "id"} })
---findings.append { id = 1, text = "a fault in line 3" }
---Log.info("found", { count = #findings.all() })
---```
---@class tactus.SessionLibrary
Session = {}

---The slice of this name; it is there from the first call on. `Session.slice("Plan")` is that of the plan.
---@param name string
---@param options? tactus.SliceOptions
---@return tactus.Slice
function Session.slice(name, options) end

---Removes all items of all slices, with the plan. The slices and their reducers stay.
function Session.reset() end

---What becomes of slices that a snapshot has.
---@class tactus.RestoreOptions
---@field missing? "error"|"ignore" What becomes of slices that the file hasn't named: an error with the code `snapshot_invalid`, as without it, or they are left out.
---@field migrate? table<string, fun(items: any[]): any[]?, string?> By the name of a slice: its function is given the items of the snapshot, and returns those to restore, and the slice that they belong to now where it is another one. Nil leaves them out.

---@class tactus.Restored
---@field created_at string When the snapshot was made: ISO 8601 in UTC.
---@field restored string[] Names of the slices that have items of it.
---@field ignored string[] Those that were left out.
---@field tags table<string, string>

---The session as a text, in the JSON of snapshots of WINK 0.14. One that is larger than what can be kept is an error with the code
---`snapshot_failed`.
---@return string
function Session.snapshot() end

---Puts the session of a snapshot, ours or one of WINK 0.14, in the place of this one: slices that it doesn't have are empty then. What
---can't be restored is an error with the code `snapshot_invalid`, and then the session is as it was.
---```lua
---local ok, problem = pcall(Session.restore, File.read("session.json"), { missing = "ignore" })
---if not ok then Log.warn("starting fresh", { problem = problem }) end
---```
---@param text string
---@param options? tactus.RestoreOptions
---@return tactus.Restored
function Session.restore(text, options) end

---Makes a snapshot now, which `tactus-temporal session` lists. With a name, in a `DurableLoop`: where that makes one for this event.
---A snapshot that can't be written is counted and shown, and ends nothing. A checkpoint of the log.
---@param name? string Of the event.
---@param value? any What a function `checkpoint_on` is told as `event.value`.
---@return boolean wanted Whether a snapshot was wanted.
function Session.checkpoint(name, value) end

---What happens in a session: a change of the plan, or what `Session.checkpoint` names.
---@class tactus.SessionEvent
---@field name string `"plan_step_done"`, `"plan_changed"`, or the name of the event.
---@field value? any Of an event with a name.
---@field action? "setup"|"add"|"update"|"append"|"seed"|"clear" Of a change of the plan; the last three by `Session.slice("Plan")`.
---@field plan? tactus.Plan As it is after the change.
---@field objective? string Of `"setup"`.
---@field initial_steps? string[] Of `"setup"`.
---@field steps? string[] Of `"add"`.
---@field step_id? integer Of `"update"`.
---@field title? string Of `"update"`.
---@field status? "pending"|"in_progress"|"done" Of `"update"`.

---@class tactus.DurableLoopConfig
---@field body fun(request: any, session: tactus.SessionLibrary): any One round: nil goes on with the next, and any other value is what the loop gives.
---@field request? any What each round is given.
---@field deadline? tactus.Duration How long all rounds together may take, or a moment in ISO 8601 with its zone.
---@field checkpoint_on? string|string[]|fun(event: tactus.SessionEvent): boolean When a snapshot is made: `"plan_step_done"`, as without it, `"plan_changed"`, names of `Session.checkpoint`; or a function that says it for each event.
---@field name? string As which its rounds are in the log.

---Does a piece of work round by round, until a round gives something. Each round is a checkpoint, so a run that is lost goes on in the
---round that it was in. Past the deadline no round, model call or tool begins: an error with the code `deadline_exceeded`, which can be caught.
---```lua
---worker = Agent { system_prompt = function() return Plan.progress() end, toolsets = { PlanningTools() } }
---local plan = DurableLoop {
---  request = "Publish the guide",
---  deadline = "2h",
---  body = function(request, session)
---    worker(request)
---    local plan = Plan.current()
---    return plan and plan.status == "completed" and plan or nil
---  end,
---}
---```
---@param config tactus.DurableLoopConfig
---@return any result
function DurableLoop(config) end

---A step of a plan.
---@class tactus.PlanStep
---@field step_id integer From 1.
---@field title string
---@field status "pending"|"in_progress"|"done"

---The plan of a run.
---@class tactus.Plan
---@field objective string
---@field status "active"|"completed" `"completed"` as soon as all steps are done.
---@field steps tactus.PlanStep[]

---What begins a plan.
---@class tactus.PlanSetup
---@field objective string At most 500 characters.
---@field initial_steps? string[] Titles.

---What is added to a plan.
---@class tactus.PlanSteps
---@field steps string[] Titles.

---What changes of a step.
---@class tactus.PlanUpdate
---@field step_id integer
---@field title? string
---@field status? "pending"|"in_progress"|"done"

---The plan of the run. Each change is an entry of the log. What is wrong is an error with the code `plan_invalid`, which can be caught.
---```lua
---Plan.setup { objective = "Publish the guide", initial_steps = { "Draft", "Review" } }
---Plan.update { step_id = 1, status = "done" }
---Log.info(Plan.progress())
---```
---@class tactus.PlanLibrary
Plan = {}

---Begins a plan, in the place of the one that there is.
---@param plan tactus.PlanSetup
---@return tactus.Plan plan
---@return string message
function Plan.setup(plan) end

---Adds steps to the plan, which must be active.
---@param added tactus.PlanSteps
---@return tactus.Plan plan
---@return string message
function Plan.add(added) end

---Changes the title or the status of a step. The plan must be active.
---@param update tactus.PlanUpdate
---@return tactus.Plan plan
---@return string message
function Plan.update(update) end

---The plan; an error where there is none.
---@return tactus.Plan plan
---@return string message
function Plan.read() end

---The plan; nil where there is none.
---@return tactus.Plan?
function Plan.current() end

---How far the plan is, in Markdown, for a prompt: what is done, and what remains.
---@return string
function Plan.progress() end

---@class tactus.PlanningToolsConfig
---@field strategy? "react"|"plan_act_reflect"|"goal_decompose_route_synthesise" What its agents are told of planning; `"react"` without it.

---Tools by which an agent keeps the plan of the run: `planning_setup_plan`, `planning_add_step`, `planning_update_step` and
---`planning_read_plan`. How to use them is added to the system prompt of the agents that have them.
---```lua
---worker = Agent {
---  system_prompt = "Do what you are asked.",
---  toolsets = { PlanningTools { strategy = "plan_act_reflect" } },
---}
---```
---@param config? tactus.PlanningToolsConfig
---@return tactus.Toolset
function PlanningTools(config) end
