while true do pcall(checkpoint, function() while true do end end) end
