local text = string.rep("a ", 1e5)
local n = 0
while true do n = n + #split(text, 1) end
