---@meta _
-- Lua's libraries that are smaller here than elsewhere: coroutine, debug, os, package.

---Coroutines. What waits for people or models inside of one goes past it, and the coroutine doesn't notice.
---@class coroutinelib
coroutine = {}

---@param body fun(...: any): any
---@return thread
function coroutine.create(body) end

---@return boolean
function coroutine.isyieldable() end

---@param thread thread
---@param ... any
---@return boolean success
---@return any ...
function coroutine.resume(thread, ...) end

---@return thread running
---@return boolean isMain
function coroutine.running() end

---@param thread thread
---@return "running"|"suspended"|"normal"|"dead"
function coroutine.status(thread) end

---@param body fun(...: any): any
---@return fun(...: any): any
function coroutine.wrap(body) end

---@param ... any
---@return any ...
function coroutine.yield(...) end

---Tracebacks alone: nothing that looks into other code.
---@class debuglib
debug = {}

---@param message? any
---@return any
function debug.traceback(message) end

---The time of the run. There is no `execute`, `exit`, `remove` or `rename`.
---@class oslib
os = {}

---Seconds since the run began. They stand still between two checkpoints.
---@return number
function os.clock() end

---A time as text, or with `"*t"` as a table; always in UTC.
---@param format? string
---@param time? integer
---@return string|table
function os.date(format, time) end

---@param later number
---@param earlier number
---@return number seconds
function os.difftime(later, earlier) end

---Always nil: the environment is the worker's. Pass what you need as input.
---@param name string
---@return nil
function os.getenv(name) end

---Seconds since 1970: the end of the last checkpoint, and the same in a replay. Of a table, that time in UTC.
---@param time? { year: integer|string, month: integer|string, day: integer|string, hour?: integer|string, min?: integer|string, sec?: integer|string } Its fields are brought into range.
---@return integer
function os.time(time) end

---A name for a file of this run, below the worker's folder.
---@return string
function os.tmpname() end

---@class packagelib
package = {}

---What `require` has given.
---@type table<string, any>
package.loaded = {}
