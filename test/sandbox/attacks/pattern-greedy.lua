return string.find(string.rep("a", 5000), string.rep(".*", 8) .. "b")
