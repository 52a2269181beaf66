return string.find(string.rep("a ", 2000), string.rep("%f[%w].-", 12) .. "b")
