for i = 1, 1e6 do Log.info("line " .. i) end
