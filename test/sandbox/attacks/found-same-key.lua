local a, b = ("x"):rep(4000) , ("x"):rep(4000) a, b = a:rep(2000), b:rep(2000) local t = {[a] = 1} local n = 0 while true do n = n + t[b] end
