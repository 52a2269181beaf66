setmetatable(_G, {__index = function(_, name) return name end})
_G.Human = {approve = function() return "mine" end}
local real = getmetatable(checkpoint)
pairs, tostring, error, pcall = nil, nil, nil, nil
string = {format = 1}
return {mine = Human.approve("?"), state = state.x, length = #("x"):rep(2), real = real == nil, missing = nothing}
