---@meta _
-- Tests of a procedure, and evaluations.

---What a mock says of an agent, a tool or a model.
---@class tactus.Mock
---@field returns? any Of a tool or a model: what it gives.
---@field temporal? any[] What it gives, one after the other; the last again and again.
---@field conditional? { when: table<string, any>, returns: any }[] By its arguments: `contains:`, `startswith:`, `endswith:`.
---@field error? string It fails with this.
---@field message? string Of an agent: what it says.
---@field tool_calls? { tool: string, args?: table }[] Of an agent: recorded, their functions don't run.
---@field data? table Of an agent: its output.
---@field usage? table Of an agent.

---Stand-ins for agents, tools and models, by their names. They count under `--mock` alone.
---```lua
---Mocks {
---  search = { returns = { hits = 2 } },
---  writer = { message = "About tea." },
---}
---```
---@param mocks table<string, tactus.Mock>
function Mocks(mocks) end

---What the steps of a scenario share.
---@class tactus.StepContext
---@field input table
---@field output any After the procedure.
---@field [string] any

---Scenarios in Gherkin, or the file that has them. `tactus-temporal test` runs each as a workflow.
---```lua
---Specification{ from = "refund.feature" }
---```
---@param text string|{ from: string }
function Specification(text) end

---The same as `Specification`.
---```lua
---Specifications{ from = "refund.feature" }
---```
---@param text string|{ from: string }
function Specifications(text) end

---The same as `Specification`.
---```lua
---specification{ from = "refund.feature" }
---```
---@param text string|{ from: string }
function specification(text) end

---The same as `Specification`.
---```lua
---specifications{ from = "refund.feature" }
---```
---@param text string|{ from: string }
function specifications(text) end

---One case of an evaluation.
---@class tactus.EvaluationCase
---@field name? string
---@field inputs? table
---@field input? table The same as `inputs`.
---@field expected_output? any
---@field expected? any The same as `expected_output`.

---How often a procedure must do what it should.
---@class tactus.EvaluationConfig
---@field dataset? tactus.EvaluationCase[]
---@field dataset_file? string `.json` or `.jsonl`, beside the procedure.
---@field evaluators? tactus.Evaluator[]
---@field runs? integer Of each case; 1 without it.
---@field parallel? boolean
---@field thresholds? { min_success_rate?: number, max_cost_per_run?: number, max_duration?: number, max_tokens_per_run?: number }
---@field [string] any

---Cases with what judges them. `tactus-temporal evaluate` runs each as often as it says.
---```lua
---Evaluation {
---  dataset = { { name = "Ann", inputs = { name = "Ann" } } },
---  evaluators = { field.contains{field = "greeting", value = "Ann"} },
---}
---```
---@param config tactus.EvaluationConfig
function Evaluation(config) end

---The same as `Evaluation`.
---```lua
---Evaluations { dataset_file = "cases.jsonl" }
---```
---@param config tactus.EvaluationConfig
function Evaluations(config) end

---The same as `Evaluation`.
---```lua
---evaluation { dataset_file = "cases.jsonl" }
---```
---@param config tactus.EvaluationConfig
function evaluation(config) end

---The same as `Evaluation`.
---```lua
---evaluations { dataset_file = "cases.jsonl" }
---```
---@param config tactus.EvaluationConfig
function evaluations(config) end

---`Mocks` in the older dialect.
---```lua
---mocks { search = { returns = { hits = 2 } } }
---```
---@param mocks table<string, tactus.Mock>
function mocks(mocks) end
