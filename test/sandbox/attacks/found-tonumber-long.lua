Procedure { output = { n = field.integer{} }, function() local s = ("1"):rep(1000):rep(8000) local n = 0 while true do if tonumber(s) then n = n + 1 end end end }
