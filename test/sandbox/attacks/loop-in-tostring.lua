local t = setmetatable({}, {__tostring = function() while true do end end})
while true do pcall(tostring, t) end
