worker = Agent {model = "fake/model"}
local ok, message = pcall(worker, string.rep("p", 5000000))
return {ok, message}
