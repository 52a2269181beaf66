local text = string.rep("a", 4e6)
return #split(text, string.rep("a", 2e6) .. "b")
