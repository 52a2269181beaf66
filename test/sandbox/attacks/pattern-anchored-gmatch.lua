local n = 0
for _ in string.gmatch(string.rep("a", 200000), ".-b") do n = n + 1 end
return n
