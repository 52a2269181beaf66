local line = string.rep("x", 1000000)
while true do print(line) end
