local items = {}
for i = 1, 10000 do items[i] = i end
local done = Parallel.map(items, function(i) Sleep(1) return i end)
return #done
