while true do pcall(Parallel, {function() while true do end end, function() while true do end end}) end
