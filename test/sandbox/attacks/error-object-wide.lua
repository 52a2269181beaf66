local t = {}
for i = 1, 200000 do t["key" .. i] = i end
error(t)
