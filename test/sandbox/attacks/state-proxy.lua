state.a = 1
local out = {getmetatable(state), pcall(setmetatable, state, {}), pcall(rawset, state, "b", function() end)}
out[2] = type(out[2])
return {seen = out[1], state = State.all(), b = state.b ~= nil and type(state.b)}
