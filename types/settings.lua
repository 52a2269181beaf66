---@meta _
-- Settings of a whole file.

---The provider of agents that name none.
---```lua
---default_provider("openai")
---```
---@param name string
function default_provider(name) end

---The model of agents that name none.
---```lua
---default_model("openai/gpt-5-mini")
---```
---@param name string
function default_model(name) end

---Taken, without effect: turns are bounded by the limits of a run.
---```lua
---max_turns(20)
---```
---@param count number
function max_turns(count) end

---How deep procedures of the file may call each other.
---```lua
---max_depth(3)
---```
---@param depth number
function max_depth(depth) end

---A text that `Prompt("return")` gives.
---```lua
---return_prompt("Say what was found.")
---```
---@param text string
function return_prompt(text) end

---A text that `Prompt("error")` gives.
---```lua
---error_prompt("Say what went wrong.")
---```
---@param text string
function error_prompt(text) end

---A text that `Prompt("status")` gives.
---```lua
---status_prompt("Say how far you are.")
---```
---@param text string
function status_prompt(text) end

---Declares a text under a name, and gives it; with the name alone, gives what was declared. `review.prompts.json` beside `review.tac` may have
---another text for the name.
---```lua
---Prompt("tone", "Be kind and brief.")
---writer = Agent { system_prompt = Prompt("tone") }
---```
---@param name string
---@param text? string
---@return string
function Prompt(name, text) end

---In a script: time and chance outside of a checkpoint are an error. A procedure has it as a field.
---```lua
---strict_determinism(true)
---```
---@param isStrict boolean
function strict_determinism(isStrict) end

---Declares the stages that a procedure goes through, in order: see `Stage`.
---```lua
---stages({ "draft", "review", "done" })
---```
---@param names string[]
---@lenient
function stages(names) end

---`Prompt` in the older dialect.
---```lua
---prompt("tone", "Be brief.")
---```
---@param name string
---@param text? string
---@return string
function prompt(name, text) end

---Taken, without effect: whoever starts a run chooses whether to wait for it.
---```lua
---async(true)
---```
---@param enabled boolean
function async(enabled) end
