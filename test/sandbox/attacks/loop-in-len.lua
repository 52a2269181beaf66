local t = setmetatable({}, {__len = function() while true do end end})
while true do pcall(function() return #t end) end
