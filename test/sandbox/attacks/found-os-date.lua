local f = ("%c"):rep(1000):rep(100) local n = 0 while true do n = n + #os.date(f, 0) end
