local items = {}
for i = 1, 500 do items[i] = i end
local function fork(n) if n == 0 then return 1 end return #Parallel.map(items, function() return fork(n - 1) end) end
return fork(4)
