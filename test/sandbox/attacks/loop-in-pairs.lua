local t = setmetatable({}, {__pairs = function() return function() return 1 end end})
while true do pcall(function() for _ in pairs(t) do end end) end
