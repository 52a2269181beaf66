guess = Model {type = "mock", value = 1}
local ok, message = pcall(guess, string.rep("p", 5000000))
return {ok, message}
