local items = {}
for i = 1, 100 do items[i] = i end
local done = Parallel.map(items, function()
  return #Parallel.map(items, function(i) Sleep(1) return i end)
end)
return #done
