local text = string.rep("e", 1000000)
while true do pcall(error, text) end
