local k = ("\u{20ac}"):rep(2000):rep(1000) local t = {[k] = 1} while true do Json.encode(t) end
