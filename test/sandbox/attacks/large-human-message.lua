return pcall(Human.approve, string.rep("m", 1000000))
