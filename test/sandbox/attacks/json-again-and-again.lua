local text = "[" .. string.rep("1,", 1000000) .. "1]"
while true do Json.decode(text) end
