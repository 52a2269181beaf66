local t = {}
for i = 1, 100000 do t[i] = {i} end
while true do Json.encode(t) end
