for _ = 1, 5 do Sleep(1) end
while true do end
