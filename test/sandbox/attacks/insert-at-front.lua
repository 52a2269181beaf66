local t = {}
for i = 1, 300000 do table.insert(t, 1, i) end
return #t
