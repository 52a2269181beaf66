local t = {}
for i = 1, 1000 do t[i .. string.rep("k", 1000000)] = true end
return "kept"
