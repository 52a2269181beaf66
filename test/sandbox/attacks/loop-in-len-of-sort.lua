local t = setmetatable({}, {__len = function() while true do end end})
while true do pcall(table.sort, t) pcall(table.concat, t) pcall(table.unpack, t) pcall(table.insert, t, 1) end
