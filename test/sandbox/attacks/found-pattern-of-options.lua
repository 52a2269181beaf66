return ("x"):rep(1000):rep(1000):match(("a-"):rep(1000):rep(2000) .. "b")
