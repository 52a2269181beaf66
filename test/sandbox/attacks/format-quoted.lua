local s = string.rep("\0", 2000000)
while true do string.format("%q", s) end
