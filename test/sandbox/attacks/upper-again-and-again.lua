local s = string.rep("x", 8000000)
while true do s:upper() s:lower() end
