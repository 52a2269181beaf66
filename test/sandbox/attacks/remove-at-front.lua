local t = {}
for i = 1, 200000 do t[i] = i end
for _ = 1, 200000 do table.remove(t, 1) end
return #t
