---@meta _
-- Lua's tables.

---@class tablelib
table = {}

---The texts and numbers of a list as one text.
---@param list (string|number)[]|table
---@param separator? string|number Nothing without it.
---@param first? integer
---@param last? integer
---@return string
function table.concat(list, separator, first, last) end

---An empty table. The sizes are looked at, and save nothing here.
---@param elements integer
---@param fields? integer
---@return table
function table.create(elements, fields) end

---Adds to the end of a list; `table.insert(list, position, value)` adds at a place.
---@overload fun(list: table, position: integer, value: any)
---@param list table
---@param value any
function table.insert(list, value) end

---Copies items of one table into another, or to another place.
---@param from table
---@param first integer
---@param last integer
---@param at integer
---@param to? table
---@return table
function table.move(from, first, last, at, to) end

---A table of all arguments, with their number as `n`.
---@param ... any
---@return table
function table.pack(...) end

---Takes an item away, the last one without a position, and gives it.
---@param list table
---@param position? integer
---@return any
function table.remove(list, position) end

---Sorts a list in place. Nothing in the function may wait: no model, no person.
---@generic T
---@param list T[]|table
---@param isBefore? fun(a: T, b: T): boolean
function table.sort(list, isBefore) end

---The items of a list as several values.
---@param list table
---@param first? integer
---@param last? integer
---@return any ...
---@lenient
function table.unpack(list, first, last) end
