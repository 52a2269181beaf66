return #string.pack("!16 i16 Xi16", 1) .. "," .. tostring(pcall(string.pack, "c2147483647", "x"))
