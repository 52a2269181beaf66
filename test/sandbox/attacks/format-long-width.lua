return string.format("%" .. string.rep("9", 1000000) .. "s", "x")
