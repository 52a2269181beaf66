for _ in string.gmatch("abc", "") do while true do end end
