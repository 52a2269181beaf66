local s = (" "):rep(1000):rep(7000) .. "1" local n = 0 while true do n = n + s end
