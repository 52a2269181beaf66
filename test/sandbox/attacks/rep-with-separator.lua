local n = 0
while true do n = n + #string.rep("x", 1e6, "yyyyyy") end
