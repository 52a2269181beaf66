return tonumber(("0"):rep(1000):rep(4000) .. "!", 10) == nil
