while true do string.format(string.rep("%%", 4000000)) end
