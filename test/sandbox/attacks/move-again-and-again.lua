local t = {}
for i = 1, 200000 do t[i] = i end
while true do table.move(t, 1, 200000, 2) end
