State.set("x", string.rep("x", 10000000))
