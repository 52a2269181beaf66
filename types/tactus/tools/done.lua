---@meta tactus.tools.done

---The tool by which an agent says that its task is done: see `Stop`.
---@type tactus.Tool
local done

return done
