local k = ("x"):rep(4000):rep(2000) while true do local v = Json[k] end
