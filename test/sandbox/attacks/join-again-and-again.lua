local list, n = {}, 0
for i = 1, 100 do list[i] = string.rep("x", 1e4) end
while true do n = n + #join(list, ",") end
