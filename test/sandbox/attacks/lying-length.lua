local t = setmetatable({}, {__len = function() return 2^40 end})
local out = {}
for name, call in pairs{
  concat = function() return table.concat(t) end,
  insert = function() return table.insert(t, 1, "x") end,
  remove = function() return table.remove(t, 1) end,
  unpack = function() return table.unpack(t) end,
  sort = function() return table.sort(t) end,
} do
  local ok, message = pcall(call)
  out[name] = ok and "ok" or message
end
return out
