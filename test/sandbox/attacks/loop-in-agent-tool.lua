spin = Tool {description = "spins", input = {}, function() while true do pcall(error) end end}
worker = Agent {model = "fake/model", tools = {spin}}
return worker("spin").output
