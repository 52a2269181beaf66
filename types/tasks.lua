---@meta _
-- Tasks: pieces of work of a file that a run can be started for, `run FILE TASK`.

---What a task is. Whatever else its table holds by a name, another task or a table with an entry, is a task within it.
---@class tactus.TaskConfig
---@field entry? (fun(input: table): any)|tactus.Procedure|string What it does, or the name of a procedure; without it, it only holds others.
---@field description? string What people and tools read of it.
---@field depends_on? string|string[] Tasks that are done before it, in this order, each once; `"docs:build"` is the task build within docs.
---@field provides? any Taken, without effect.
---@field [string|integer] any

---Declares a task. A run is for the one that it is started with, else for `run`, else for the main procedure, else for the
---only task. What its entry gives is the run's output; each task that is done is a step of the log.
---```lua
---Task "build" { entry = function() return "built" end }
---Task "test" {
---  depends_on = { "build" },
---  entry = function(input) return { passed = input.count } end,
---}
---```
---@overload fun(config: tactus.TaskConfig): tactus.Task
---@overload fun(name: string, config: tactus.TaskConfig): tactus.Task
---@param name string|number
---@return fun(config: tactus.TaskConfig): tactus.Task
function Task(name) end

---@class tactus.Task

---Makes entries of a function that takes a table: a call with the table gives what a task can have as its entry.
---```lua
---local greet = TaskFunction(function(args) return "hello " .. args.name end)
---Task "ada" { entry = greet { name = "Ada" } }
---```
---@param fn fun(args: any): any
---@return fun(args: any): fun(): any
function TaskFunction(fn) end

---Adds the tasks of another file, which may declare nothing else; with a namespace, as `namespace:task`.
---```lua
---IncludeTasks("tasks/docs.tac", "docs")
---```
---@param file string|{ path: string, namespace?: string } Beside this file or below it; written out, so that it can be shipped along.
---@param namespace? string
function IncludeTasks(file, namespace) end
