while true do pcall(print, "x") end
