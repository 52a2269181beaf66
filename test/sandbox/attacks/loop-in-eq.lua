local loop = {__eq = function() while true do end end}
while true do pcall(function() return setmetatable({}, loop) == setmetatable({}, loop) end) end
