---@meta _
-- Budgets: what a run, or a part of it, may use.

---What may be used; of what is left out, anything. What belongs to several budgets (an agent's, its procedure's, the run's) counts
---in each. It is looked at before each call, which isn't made where too little is left.
---@class tactus.Budget
---@field tokens? integer Of models, read and written.
---@field cost? number In US dollars. Where a model's price isn't known, nobody can say what was spent, and that ends it.
---@field turns? integer Of agents.
---@field model_calls? integer
---@field tool_calls? integer
---@field time? tactus.Duration Since it began, with all waits.
---@field on_exhausted? "ask"|"stop"|"error" What becomes of what would go beyond it: a person is asked for more, as without it; the turn stops, and gives `exhausted`; or it is an error with the code `budget_exhausted`.
---@field approvers? string[] Who may give more; anyone without it.

---Why a turn stopped before it had an answer.
---@class tactus.Exhausted
---@field budget string Whose budget it is.
---@field what "tokens"|"cost"|"turns"|"model_calls"|"tool_calls"|"time"
---@field limit number Time in seconds.
---@field used number

---What is left of the budgets here, of each the least; what isn't bounded is nil. Time in seconds.
---@class tactus.BudgetLeft
---@field tokens? integer
---@field cost? number
---@field turns? integer
---@field model_calls? integer
---@field tool_calls? integer
---@field time? number

---Looks at budgets.
---```lua
---writer = Agent { system_prompt = "Write.", budget = { tokens = 20000, on_exhausted = "stop" } }
---if (Budget.left().tokens or 1000) < 500 then Log.warn("Little is left") end
---```
---@class tactus.BudgetLibrary
Budget = {}

---@return tactus.BudgetLeft
function Budget.left() end
