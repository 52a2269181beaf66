local name = string.rep("n", 100000)
step(name, function() end)
local ok, message = pcall(File.read, name)
return {ok, #Json.encode(message) < 10000}
