---@meta _
-- Data of a run: its input, its state, files and JSON.

---What the run was given; it can't be changed. In a script, `input {…}` declares it.
---```lua
---input { name = field.string{required = true} }
---output { greeting = field.string{} }
---return { greeting = "Hello, " .. input.name }
---```
---@class tactus.Input
---@field [string] any
---@overload fun(fields: tactus.Fields)
input = {}

---`input` by its old name.
---```lua
---local name = params.name
---```
---@type tactus.Input
params = {}

---Declares what a script gives.
---```lua
---output { greeting = field.string{required = true} }
---```
---@param fields tactus.Fields|tactus.Field
function output(fields) end

---Working data of a procedure, kept for as long as the run is. In a script, `state {…}` declares its fields.
---```lua
---state.count = (state.count or 0) + 1
---```
---@class tactus.StateTable
---@field [string] any
---@overload fun(fields: tactus.Fields)
state = {}

---Functions of the same data as `state`.
---```lua
---State.increment("count")
---```
---@class tactus.StateLibrary
State = {}

---The value, or the default where there is none.
---@param key string
---@param default? any
---@return any
function State.get(key, default) end

---@param key string
---@param value any
---@lenient
function State.set(key, value) end

---Adds to a number; nothing counts as 0.
---@param key string
---@param by? number 1 without it.
---@return number
function State.increment(key, by) end

---Adds to the end of a list.
---@param key string
---@param value any
---@lenient
function State.append(key, value) end

---A copy of it all.
---@return table<string, any>
function State.all() end

---Takes all away.
function State.clear() end

---Files below the worker's folder of files: `files` in the working folder, or what `--files` names. Each operation is a
---checkpoint. Sources, programs, keys, configuration and names that begin with a dot are refused.
---```lua
---File.write("notes/latest.txt", "Published")
---```
---@class tactus.FileLibrary
File = {}

---The text of a file; an error where there is none.
---@param path string|number
---@return string
---@effect file
function File.read(path) end

---Writes a file, and the folders that it lies in.
---@param path string|number
---@param content string|number
---@return boolean
---@effect file
function File.write(path, content) end

---Adds to the end of a file, once, whatever is tried again: a hidden file beside it, `.NAME.appends`, tells what was added.
---Makes the file, and the folders that it lies in.
---@param path string|number
---@param content string|number
---@return boolean
---@effect file
function File.append(path, content) end

---The names of what is in a folder, sorted; those of folders end with `/`. Without a path: in the folder of files itself.
---Links, and what no procedure may use, aren't among them.
---```lua
---for _, name in ipairs(File.list("notes")) do print(name) end
---```
---@param path? string|number
---@return string[]
---@effect file
function File.list(path) end

---Takes a file away; one that isn't there is gone already.
---@param path string|number
---@return boolean
---@effect file
function File.delete(path) end

---@param path string|number
---@return boolean
---@effect file
function File.exists(path) end

---@param path string|number
---@return integer bytes
---@effect file
function File.size(path) end

---JSON.
---```lua
---local text = Json.encode({ a = 1 })
---```
---@class tactus.JsonLibrary
Json = {}

---@param value any
---@return string
function Json.encode(value) end

---@param text string|number
---@return any
function Json.decode(text) end

---Takes a text apart: by a separator (not a pattern), or into pieces of at most so many characters, which end at white
---space where there is some, and make the text again when they are joined.
---```lua
---local names = split("Ada, Grace", ", ")
---local pieces = split(article, 1000)
---```
---@param text string|number
---@param by integer|string
---@return string[]
function split(text, by) end

---The texts and numbers of a list as one text.
---```lua
---local line = join({ "Ada", "Grace" }, ", ")
---```
---@param list (string|number)[]
---@param separator? string|number Nothing without it.
---@return string
---@lenient
function join(list, separator) end
