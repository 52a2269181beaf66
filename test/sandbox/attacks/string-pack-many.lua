while true do string.pack(string.rep("i8", 100000), 1) end
