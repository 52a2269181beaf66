---@meta tactus.tools.log

---The tool by which an agent writes a line into the log.
---@type tactus.Tool
local log

return log
