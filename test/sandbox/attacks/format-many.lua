local pattern, t = string.rep("%99.99f", 15000), {}
for i = 1, 15000 do t[i] = 1 / 3 end
while true do string.format(pattern, table.unpack(t)) end
