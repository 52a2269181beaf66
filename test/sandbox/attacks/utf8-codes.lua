local s, n = string.rep("é", 4000000), 0
while true do for _ in utf8.codes(s) do n = n + 1 end end
