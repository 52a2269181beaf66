local items = {}
for i = 1, 500 do items[i] = i end
while true do pcall(Parallel.map, items, function() error("no") end) end
