return string.rep("p", 5000000)
