local t = {}
for i = 1, 19000 do t[i] = i end
local function shift(...) return select(2, ...) end
while true do pcall(function() return shift(table.unpack(t)) end) end
