---@meta _
-- Fields of inputs, outputs and states; evaluators.

---@alias tactus.FieldType
---| "string"
---| "number"
---| "integer"
---| "boolean"
---| "array"
---| "object"
---| "table" An array or an object.
---| "any"
---| "str"
---| "float"
---| "int"
---| "bool"
---| "list"
---| "dict"

---What is said of a field besides its type.
---@class tactus.FieldOptions
---@field type? tactus.FieldType
---@field required? boolean
---@field default? any
---@field enum? any[] The values that it may have.
---@field description? string What people and models read of it.
---@field items? tactus.Field|tactus.Fields|tactus.FieldType Of an array.
---@field properties? tactus.Fields Of an object.
---@field fields? tactus.Fields The same as `properties`.
---@field format? string Taken, without effect.
---@field pattern? string Taken, without effect.
---@field minimum? number Taken, without effect.
---@field maximum? number Taken, without effect.
---@field min? number Taken, without effect.
---@field max? number Taken, without effect.
---@field example? any Taken, without effect.

---A declared field: `field.string{required = true}`, or `{ type = "string", required = true }`.
---@class tactus.Field: tactus.FieldOptions

---Declared fields by name.
---@alias tactus.Fields table<string, tactus.Field|tactus.FieldType>

---What an `Evaluation` looks at in each run.
---@class tactus.Evaluator
---@field type string

---@class tactus.EvaluatorOptions
---@field field? string Which field of the output; without it, the whole.
---@field name? string
---@field value? any What it is compared with.
---@field check_expected? string Takes the value from this field of what the case expects.
---@field [string] any

---Declares fields of inputs, outputs and states, and what an `Evaluation` looks at.
---```lua
---input = {
---  name = field.string{required = true, description = "Who is greeted"},
---  times = field.integer{default = 1},
---}
---```
---@class tactus.FieldLibrary
field = {}

---Text.
---@param options? tactus.FieldOptions
---@return tactus.Field
---@lenient
function field.string(options) end

---A number, whole or not.
---@param options? tactus.FieldOptions
---@return tactus.Field
---@lenient
function field.number(options) end

---A whole number.
---@param options? tactus.FieldOptions
---@return tactus.Field
---@lenient
function field.integer(options) end

---True or false.
---@param options? tactus.FieldOptions
---@return tactus.Field
---@lenient
function field.boolean(options) end

---A list: `field.array{items = field.string{}}`.
---@param options? tactus.FieldOptions
---@return tactus.Field
---@lenient
function field.array(options) end

---A table with names: `field.object{properties = { id = field.string{} }}`.
---@param options? tactus.FieldOptions
---@return tactus.Field
---@lenient
function field.object(options) end

---A list or a table with names.
---@param options? tactus.FieldOptions
---@return tactus.Field
---@lenient
function field.table(options) end

---Whatever JSON has.
---@param options? tactus.FieldOptions
---@return tactus.Field
---@lenient
function field.any(options) end

---Evaluator: `value` is in the text, in any case of its letters.
---@param options tactus.EvaluatorOptions
---@return tactus.Evaluator
---@lenient
function field.contains(options) end

---Evaluator: one of the texts in `value` is in the text.
---@param options tactus.EvaluatorOptions
---@return tactus.Evaluator
---@lenient
function field.contains_any(options) end

---Evaluator: it is what the case expects.
---@param options tactus.EvaluatorOptions
---@return tactus.Evaluator
---@lenient
function field.equals_expected(options) end

---Evaluator: it is `value`.
---@param options tactus.EvaluatorOptions
---@return tactus.Evaluator
---@lenient
function field.exact_match(options) end

---Evaluator: it has the type in `value`: `"string"`, `"number"`, `"integer"`, `"boolean"`, `"array"`, `"object"`.
---@param options tactus.EvaluatorOptions
---@return tactus.Evaluator
---@lenient
function field.is_instance(options) end

---Evaluator: it follows the JSON Schema in `json_schema`.
---@param options tactus.EvaluatorOptions
---@return tactus.Evaluator
---@lenient
function field.json_schema(options) end

---Evaluator: a model says so by `rubric`; `model` names it.
---@param options tactus.EvaluatorOptions
---@return tactus.Evaluator
---@lenient
function field.llm_judge(options) end

---Evaluator: the run cost no more US dollars than `value`.
---@param options tactus.EvaluatorOptions
---@return tactus.Evaluator
---@lenient
function field.max_cost(options) end

---Evaluator: agents took no more turns than `value`.
---@param options tactus.EvaluatorOptions
---@return tactus.Evaluator
---@lenient
function field.max_iterations(options) end

---Evaluator: the text has at most `value` characters.
---@param options tactus.EvaluatorOptions
---@return tactus.Evaluator
---@lenient
function field.max_length(options) end

---Evaluator: the run took no more tokens than `value`.
---@param options tactus.EvaluatorOptions
---@return tactus.Evaluator
---@lenient
function field.max_tokens(options) end

---Evaluator: the text has at least `value` characters.
---@param options tactus.EvaluatorOptions
---@return tactus.Evaluator
---@lenient
function field.min_length(options) end

---Evaluator: the number lies between `value.min` and `value.max`.
---@param options tactus.EvaluatorOptions
---@return tactus.Evaluator
---@lenient
function field.range(options) end

---Evaluator: the text matches the regular expression in `value`.
---@param options tactus.EvaluatorOptions
---@return tactus.Evaluator
---@lenient
function field.regex(options) end

---Evaluator: the state at the end has `value` in `field`.
---@param options tactus.EvaluatorOptions
---@return tactus.Evaluator
---@lenient
function field.state_check(options) end

---Evaluator: a tool was called `min_value` to `max_value` times.
---@param options tactus.EvaluatorOptions
---@return tactus.Evaluator
---@lenient
function field.tool_called(options) end

---Evaluator: an agent took `min_value` to `max_value` turns.
---@param options tactus.EvaluatorOptions
---@return tactus.Evaluator
---@lenient
function field.agent_turns(options) end
