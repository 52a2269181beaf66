local t = {}
while true do t[#t + 1] = Tool {description = "x", input = {}, function() end} end
