local t = setmetatable({}, {__index = function(_, i) return i end, __newindex = function() end})
return table.move(t, 1, 2^40, 2)
