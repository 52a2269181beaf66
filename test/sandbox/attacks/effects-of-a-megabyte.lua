local text, items = string.rep("p", 1000000), {}
for i = 1, 500 do items[i] = i end
guess = Model {type = "mock", value = 1}
return #Parallel.map(items, function(i) return guess({text .. i}) end)
