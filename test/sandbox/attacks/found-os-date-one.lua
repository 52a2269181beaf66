local ok, e = pcall(os.date, ("%c"):rep(1000):rep(4000), 0) return tostring(e):sub(1,100)
