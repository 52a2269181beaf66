local s = string.rep("x", 8000000)
return #s:gsub("x", {x = "yy"})
