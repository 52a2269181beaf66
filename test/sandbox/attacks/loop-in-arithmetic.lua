local loop = function() while true do end end
local t = setmetatable({}, {__add = loop, __concat = loop, __lt = loop, __le = loop, __unm = loop})
while true do
  pcall(function() return t + 1 end)
  pcall(function() return t .. "x" end)
  pcall(function() return t < t end)
  pcall(function() return -t end)
end
