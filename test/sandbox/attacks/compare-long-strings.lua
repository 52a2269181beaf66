local a, b = string.rep("x", 8000000) .. "a", string.rep("x", 8000000) .. "b"
while true do local _ = a < b, a == b end
