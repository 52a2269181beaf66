local out = {tostring(getmetatable(""))}
out[2] = pcall(setmetatable, "", {})
out[3] = pcall(rawset, string, "rep", nil)
out[4] = pcall(function() string.rep = nil end)
out[5] = pcall(table.insert, string, 1)
out[6] = pcall(setmetatable, string, {})
out[7] = #("x"):rep(3)
return out
