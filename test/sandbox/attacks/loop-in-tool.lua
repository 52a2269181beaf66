spin = Tool {description = "spins", input = {}, function() while true do pcall(error) end end}
return spin({})
