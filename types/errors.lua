---@meta _
-- Errors that are caught: what they are, beside their words.

---Codes of errors that `pcall` catches. Each has a page in `docs/errors`.
---@alias tactus.ErrorCode
---| "budget_exhausted"
---| "child_failed"
---| "deadline_exceeded"
---| "egress_denied"
---| "file_failed"
---| "http_failed"
---| "human_request_invalid"
---| "input_invalid"
---| "interrupted"
---| "missing_key"
---| "missing_package"
---| "model_call_failed"
---| "non_deterministic"
---| "not_yieldable"
---| "outcome_unknown"
---| "output_invalid"
---| "payload_too_large"
---| "plan_invalid"
---| "predict_failed"
---| "request_withdrawn"
---| "retrieval_failed"
---| "snapshot_failed"
---| "snapshot_invalid"
---| "state_invalid"
---| "tool_denied"
---| "tool_failed"
---| "unknown_model"
---| "value_not_json"
---| "wait_timed_out"

---Errors are texts. This tells what one is, whatever its words are.
---```lua
---local ok, result = pcall(search, { q = "tea" })
---if not ok and Error.code(result) == "tool_denied" then return "not allowed" end
---```
---@class tactus.ErrorLibrary
Error = {}

---The code of an error that was caught. Nil where it has none: `error` of your own, a mistake in Lua, an error with words of
---yours before it (`error("while paying: " .. err)`). `error(err)` and `error(err, 0)` keep it.
---@param err any
---@return tactus.ErrorCode|nil code
function Error.code(err) end
