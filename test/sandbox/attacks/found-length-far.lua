local t = {} for i = 1, 100000 do t[i] = i end t.x = 1 for k = 0, 52 do t[100055 * 2 ^ k] = 1 end local n = 0 while true do n = n + #t end
