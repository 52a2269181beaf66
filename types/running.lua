---@meta _
-- What steers a run: checkpoints, branches, time, stages, lines of the log.

---Lines of the run's log. Whoever follows the run sees each once.
---```lua
---Log.info("Sent", { order = "A-7" })
---```
---@class tactus.LogLibrary
Log = {}

---@param message any
---@param context? table
---@lenient
function Log.debug(message, context) end

---@param message any
---@param context? table
---@lenient
function Log.info(message, context) end

---@param message any
---@param context? table
---@lenient
function Log.warn(message, context) end

---The same as `Log.warn`.
---@param message any
---@param context? table
---@lenient
function Log.warning(message, context) end

---@param message any
---@param context? table
---@lenient
function Log.error(message, context) end

---Records what the function gives, and gives that again in a replay. Without a function, only that the run came here.
---```lua
---local seed = checkpoint(function() return os.time() end)
---```
---@generic T
---@param body? fun(): T
---@return T
---@effect checkpoint
function checkpoint(body) end

---Looks at the run's own checkpoints. A position is a number at the top level, or a text such as `"3.0"`.
---```lua
---local last = Checkpoint.get(Checkpoint.next_position() - 1)
---```
---@class tactus.CheckpointLibrary
Checkpoint = {}

---The position of the next checkpoint, here.
---@return integer
function Checkpoint.next_position() end

---@param position integer|string
---@return boolean
function Checkpoint.exists(position) end

---What the checkpoint gave; nil where there is none, or where it failed.
---@param position integer|string
---@return any
function Checkpoint.get(position) end

---An error: what was done stays done. Fork the run to do it otherwise.
---@deprecated
function Checkpoint.clear_all() end

---An error: what was done stays done. Fork the run to do it otherwise.
---@deprecated
---@param position integer|string
function Checkpoint.clear_after(position) end

---How long a step waits between its attempts, by durable timers.
---@class tactus.StepBackoff
---@field initial_delay? tactus.Duration Before the second attempt; a second without it.
---@field max_delay? tactus.Duration The longest wait; a minute without it.
---@field backoff_factor? number Each wait is so many times as long as the one before: 2 without it, 1 to 100.

---What a step may be told. Other options are refused.
---@class tactus.StepOptions
---@field whole? boolean The step changes nothing but `state`, the session and conversations, and gives one value, as JSON. A long run hands on what it came to, and not its log.
---@field retries? integer How often the function is called again when it has failed, 0 to 100. Each attempt begins anew, with checkpoints of its own; what the one before has changed in `state` stays. What fails by a budget isn't tried again.
---@field backoff? tactus.Duration|tactus.StepBackoff The wait before the second attempt: a second without it. Each wait is twice as long as the one before, up to a minute.
---@field timeout? tactus.Duration For one attempt, by a durable timer. When it is over, what the attempt waits for is cancelled, and the attempt fails with `deadline_exceeded`.
---@field deadline? tactus.Deadline For the whole step, with all attempts and the waits between them.
---@field on_failure? "ask"|false|tactus.FailureQuestion When the step fails, after all attempts and `on_error`, people are asked whether it is tried again from its beginning, what it gives instead, or that it fails. false asks nobody.
---@field on_error? any What the step gives when the last attempt has failed, or its deadline has passed: this value, or what this function gives, which is told the error and the number of attempts.

---Groups checkpoints under a name; gives what the function gives.
---```lua
---local facts = step("research", function() return { n = 3 } end)
---local page = step("load", function() return http_client.get(input.url).body end, { retries = 3, timeout = "1m", on_error = "" })
---```
---@generic T
---@param name string|number
---@param body fun(): T
---@param options? tactus.StepOptions
---@return T
---@effect step
function step(name, body, options) end

---What the function of a saga is given.
---@class tactus.Saga
---@field add_compensation fun(name: string|number, compensation: fun()) Registers what undoes a part of the saga.

---Runs a function whose parts can be undone. If it fails, its branch is given up or the run is cancelled, the compensations that it has
---registered run in reverse order, each as a checkpoint; then the error is raised again. If it ends well, they are dropped.
---```lua
---Saga("book a trip", function(saga)
---  saga.add_compensation("cancel the hotel", function() http_client.post("https://hotel.example/cancel", { json = { key = input.key } }) end)
---  http_client.post("https://hotel.example/book", { json = { key = input.key } })
---end)
---```
---@generic T
---@param name string|number
---@param body fun(saga: tactus.Saga): T
---@return T
---@effect step
function Saga(name, body) end

---Runs a function when the innermost step, saga or procedure ends, however it ends, also when the run is cancelled. Several run in reverse
---order, each as a checkpoint.
---```lua
---defer("close the ticket", function() Log.info("closed") end)
---```
---@param name string|number
---@param body fun()
---@effect step
function defer(name, body) end

---Declares a step for Specifications: its text, a regular expression, and what it does with what that captures.
---```lua
---Step("the total should be (\\d+)", function(context, total)
---  assert(context.output.total == tonumber(total))
---end)
---```
---@class tactus.StepLibrary
---@overload fun(pattern: string, body: fun(context: tactus.StepContext, ...: string))
Step = {}

---See `checkpoint`.
---@generic T
---@param body? fun(): T
---@return T
---@effect checkpoint
function Step.checkpoint(body) end

---Branches that run side by side. Each has a conversation of its own: agents go on from what was said before the branches,
---and know nothing of what the other branches say. What branches give counts; what was said in them is gone with them, and
---the conversation goes on as it was before.
---```lua
---local both = Parallel{ function() return 1 end, function() return 2 end }
---```
---@effect parallel
---@class tactus.ParallelLibrary
---@overload fun(branches: (fun(): any)[]): any[]
Parallel = {}

---Calls the function for each item, side by side; gives the results in the order of the items.
---```lua
---local lengths = Parallel.map({ "a", "bb" }, function(text) return #text end, { concurrency = 2 })
---```
---@generic T, R
---@param items T[]
---@param body fun(item: T, index: integer): R
---@param options? { concurrency?: integer, batch?: boolean, budget?: tactus.Budget } The budget is of each branch. With `batch`, models are asked in batches of their providers, for half of the price and within a day.
---@return R[]
---@effect parallel
---@lenient
function Parallel.map(items, body, options) end

---@class tactus.BranchOptions
---@field concurrency? integer How many run at a time: all of them without it.
---@field batch? boolean Models are asked in batches of their providers, for half of the price and within a day.
---@field budget? tactus.Budget Of each branch.

---Runs functions side by side until one of them gives something: its first result is the call's, with its number. The others are given up:
---what they wait for is cancelled, their requests are withdrawn, and what they have used counts. A function that raises an error leaves
---the others to go on. If all do, one error names each.
---```lua
---local answer, which = Parallel.race{ function() return "fast" end, function() Sleep("1h") return "slow" end }
---```
---@generic T
---@param branches (fun(): T)[]
---@param options? tactus.BranchOptions
---@return T value
---@return integer winner
---@effect parallel
function Parallel.race(branches, options) end

---How a branch of `Parallel.all_settled` ended.
---@class tactus.SettledBranch
---@field status "fulfilled"|"rejected"
---@field value? any What it gave, where it is `"fulfilled"`.
---@field reason? any What it raised, where it is `"rejected"`: `Error.code` tells what it is.

---Runs functions side by side, and waits for all, whatever becomes of them. Gives how each ended, in their order.
---```lua
---for i, branch in ipairs(Parallel.all_settled{ function() return 1 end, function() error("no luck") end }) do
---  print(i, branch.status, branch.value or branch.reason)
---end
---```
---@param branches (fun(): any)[]
---@param options? tactus.BranchOptions
---@return tactus.SettledBranch[]
---@effect parallel
function Parallel.all_settled(branches, options) end

---Tries again what has failed.
---```lua
---local page = Retry.with_backoff(function() return fetch({ url = input.url }) end, { max_attempts = 5 })
---```
---@class tactus.RetryLibrary
Retry = {}

---What is told of a failed attempt.
---@class tactus.FailedAttempt
---@field attempt integer
---@field max_attempts integer
---@field error string
---@field delay number Seconds until the next.

---How often, and how long it waits between. Times are seconds.
---@class tactus.RetryOptions
---@field max_attempts? integer 3 without it.
---@field initial_delay? number 1 without it.
---@field max_delay? number 60 without it.
---@field backoff_factor? number 2 without it.
---@field on_error? fun(failed: tactus.FailedAttempt)

---Calls the function until it doesn't fail, with waits that grow. They are durable timers.
---@generic T
---@param body fun(): T
---@param options? tactus.RetryOptions
---@return T
---@effect retry
---@lenient
function Retry.with_backoff(body, options) end

---Waits, by a durable timer.
---```lua
---Sleep("1h")
---```
---@param time tactus.Duration
---@effect sleep
function Sleep(time) end

---Turns that agents have taken in this run.
---```lua
---if Iterations.exceeded(10) then error("too many turns") end
---```
---@class tactus.IterationsLibrary
Iterations = {}

---@return integer
function Iterations.current() end

---Whether there were as many turns, or more.
---@param count number
---@return boolean
function Iterations.exceeded(count) end

---Whether, and how, the tool `done` was called.
---```lua
---repeat worker() until Stop.requested()
---```
---@class tactus.StopLibrary
Stop = {}

---@return boolean
function Stop.requested() end

---@return string? reason
function Stop.reason() end

---@return boolean
function Stop.success() end

---Where the procedure stands, among the stages that it declares.
---```lua
---stages({ "draft", "review" })
---Stage.set("draft")
---```
---@class tactus.StageLibrary
Stage = {}

---@param name string|number
function Stage.set(name) end

---@return string? name Nil before the first.
function Stage.current() end

---@param name string|number
---@return boolean
function Stage.is(name) end

---Goes on to the next stage.
---@return string? name Nil at the last one.
function Stage.advance() end

---The stages that were entered, in order.
---@return { from_stage: string?, to_stage: string, timestamp: string }[]
function Stage.history() end

---Lines of the log that whoever watches the run should see.
---```lua
---System.alert{ message = "The disk is full", level = "critical" }
---```
---@class tactus.SystemLibrary
System = {}

---@class tactus.Alert
---@field message? string
---@field level? "info"|"warning"|"error"|"critical"
---@field source? string
---@field context? any

---@param alert tactus.Alert
---@lenient
function System.alert(alert) end

---Functions of the host: `host.ping` and `host.echo`.
---```lua
---local answer = Host.call("host.ping", { n = 1 })
---```
---@class tactus.HostLibrary
Host = {}

---@param name "host.ping"|"host.echo"|string
---@param args? table
---@return table
---@effect host
---@lenient
function Host.call(name, args) end

---Whether the procedure stands at a stage: `Stage.is`.
---@param name string|number
---@return boolean
function Stage.is_current(name) end

---How many stages were entered.
---@return integer
function Stage.count() end

---Forgets which stages were entered.
function Stage.clear_history() end
