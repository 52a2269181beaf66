local text = string.rep("x", 1000000)
while true do checkpoint(function() return text end) end
