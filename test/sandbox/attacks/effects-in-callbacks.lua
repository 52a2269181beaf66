local out = {}
local function try(name, fn)
  local ok, message = pcall(fn)
  out[name] = ok and "ok" or message:match("^main.tac:%d+: can't wait here") or message
end
try("sort", function() table.sort({3, 2, 1}, function(a, b) Sleep(1) return a < b end) end)
try("gsub", function() string.gsub("abc", ".", function() Sleep(1) end) end)
try("tostring", function() tostring(setmetatable({}, {__tostring = function() Sleep(1) return "x" end})) end)
try("ipairs", function() for _ in ipairs(setmetatable({}, {__index = function() Sleep(1) end})) do end end)
try("parallel", function() string.gsub("abc", ".", function() Parallel{function() end} end) end)
try("coroutine", function() string.gsub("abc", ".", coroutine.wrap(function() Sleep(1) end)) end)
try("outside", function() Sleep(1) end)
return out
