return string.find(string.rep("a", 100000), "[" .. string.rep("b", 100000) .. "]")
