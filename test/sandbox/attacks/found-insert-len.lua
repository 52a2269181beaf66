local t = setmetatable({}, {__len = function() return math.maxinteger end})
local r = {}
r[1] = tostring(select(2, pcall(table.insert, t, 1)))
r[2] = tostring(select(2, pcall(table.insert, t, 1, 1)))
r[3] = tostring(select(2, pcall(table.insert, t)))
r[4] = tostring(select(2, pcall(table.remove, t, 0)))
r[5] = tostring(select(2, pcall(table.remove, t)))
return r
