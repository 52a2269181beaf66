return string.find(string.rep("a", 2000), string.rep("%f[a].-", 12) .. "b")
