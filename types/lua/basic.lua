---@meta _
-- Lua's own functions, as far as a procedure has them: there is no `load`, `dofile`, `io`, and no `warn`.

---All globals.
---@class _G
_G = {}

---@type string
_VERSION = "Lua 5.3"

---@alias tactus.LuaType
---| "nil"
---| "number"
---| "string"
---| "boolean"
---| "table"
---| "function"
---| "thread"
---| "userdata" Handles such as agents and tools, and libraries such as `Human`.

---Raises an error where the value is false or nil; else gives all its arguments.
---@generic T
---@param value? T
---@param message? any
---@param ... any
---@return T
---@return any ...
function assert(value, message, ...) end

---Raises an error. What ends a run is its text, or the field `message` of a table.
---@param message? any
---@param level? integer
function error(message, level) end

---@param value any
---@return table? metatable False for handles and strings.
function getmetatable(value) end

---Goes through the items 1, 2, 3 … of a list.
---@generic T: table, V
---@param list T
---@return fun(list: V[], index?: integer): integer, V
---@return T
---@return integer start
function ipairs(list) end

---@generic K, V
---@param table table<K, V>
---@param key? K
---@return K?
---@return V?
function next(table, key) end

---Goes through a table, in an order that is the same in every replay.
---@generic T: table, K, V
---@param table T
---@return fun(table: table<K, V>, key?: K): K, V
---@return T
function pairs(table) end

---Calls a function, and catches its error. Waiting goes through: a `pcall` round `Human.approve` waits.
---@param body fun(...: any): any
---@param ... any
---@return boolean success
---@return any result The error, where there was one.
---@return any ...
---@lenient
function pcall(body, ...) end

---Prints a line into the run's log. Whoever follows the run sees it once.
---@param ... any
function print(...) end

---@param a any
---@param b any
---@return boolean
function rawequal(a, b) end

---@param table table
---@param key any
---@return any
function rawget(table, key) end

---@param value table|string
---@return integer
function rawlen(value) end

---@generic T: table
---@param table T
---@param key any
---@param value any
---@return T
function rawset(table, key, value) end

---What a file gives: one of the built-in modules, or a `.tac` file below the folder of this one. The name is written out.
---```lua
---local done = require("tactus.tools.done")
---```
---@param name string
---@return any
function require(name) end

---@param index integer|"#"
---@param ... any
---@return any ...
function select(index, ...) end

---@generic T: table
---@param table T
---@param metatable table?
---@return T
function setmetatable(table, metatable) end

---@param value any
---@param base? integer
---@return number?
function tonumber(value, base) end

---The value as text. Tables and functions are numbered by the run, so a replay prints the same.
---@param value any
---@return string
function tostring(value) end

---@param value any
---@return tactus.LuaType
function type(value) end

---@param body fun(...: any): any
---@param handler fun(message: any): any
---@param ... any
---@return boolean success
---@return any result
---@return any ...
---@lenient
function xpcall(body, handler, ...) end

---Does nothing: memory is counted by the run's own limit. `"count"` gives 0.
---@param what? "collect"|"count"|"isrunning"|"step"|"stop"|"restart"
---@param argument? integer
---@return any
---@lenient
function collectgarbage(what, argument) end
