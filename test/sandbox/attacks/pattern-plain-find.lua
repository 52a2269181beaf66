local hay, needle = string.rep("a", 4000000), string.rep("a", 2000000) .. "b"
local found = 0
for _ = 1, 100 do if hay:find(needle, 1, true) then found = found + 1 end end
return found
