local touched = 0
local trap = function() touched = touched + 1 return "trap" end
local object = setmetatable({message = "seen"}, {__index = trap, __tostring = trap, __pairs = trap, __len = trap, __name = "x", __concat = trap})
local ok, caught = pcall(step, "fails", function() error(object) end)
local same = caught == object
Parallel{function() end}
if touched > 0 then error("touched", 0) end
if not same then error("copied", 0) end
error(object)
