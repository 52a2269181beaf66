local s = string.rep("é", 2000000)
while true do s:len() s:sub(5, 6) s:reverse() end
