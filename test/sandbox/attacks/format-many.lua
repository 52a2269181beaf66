local pattern = string.rep("%99.99f", 50000)
local t = {}
for i = 1, 200 do t[i] = 1 / 3 end
return #string.format(pattern, table.unpack(t))
