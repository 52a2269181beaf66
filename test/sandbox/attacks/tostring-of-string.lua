local s = string.rep("x", 8000000)
local n = 0
while true do n = n + #(s .. "y") end
