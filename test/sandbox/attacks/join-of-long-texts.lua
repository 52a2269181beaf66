local long, list = string.rep("x", 1e6), {}
for i = 1, 1000 do list[i] = long end
return #join(list)
