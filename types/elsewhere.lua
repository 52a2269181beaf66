---@meta _
-- Names of the reference that a file may hold, and that fail where they are called; and what is left of `python`.

---Not there: say what of its history an agent is sent.
---```lua
---Agent { system_prompt = "Be brief", filter = filters.tail_tokens(2000) }
---```
---@deprecated write `filters`
---@param ... any
function Compactor(...) end

---What files of the reference use to walk through Python's lists. Here it walks through tables.
---```lua
---for item in python.iter({ "a", "b" }) do print(item) end
---```
---@class tactus.PythonLibrary
python = {}

---Goes through a list; of any other table, through its keys with their values.
---@param list table
---@return fun(): any
function python.iter(list) end

---The string with `?` in place of each byte that is no UTF-8; anything else as it is.
---```lua
---local text = utf8_clean("caf\xe9")
---```
---@generic T
---@param value? T
---@return T
function utf8_clean(value) end
