local text = "[" .. string.rep("[],", 2000000) .. "[]]"
while true do Json.decode(text) end
