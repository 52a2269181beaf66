for i = 1, 100000 do _G["g" .. i] = i end while true do pcall(string.rep) end
