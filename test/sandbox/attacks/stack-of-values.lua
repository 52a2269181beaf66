local function deep(n) if n == 0 then return end return 1, deep(n - 1) end
local t = {}
while true do t[#t + 1] = {pcall(deep, 150)} end
