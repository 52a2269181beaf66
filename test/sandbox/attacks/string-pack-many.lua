local values = {}
for i = 1, 15000 do values[i] = i end
while true do string.pack(string.rep("i4", 15000), table.unpack(values)) end
