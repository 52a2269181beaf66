local keys = {__proto__ = 1, constructor = 2, toJSON = 3, ["then"] = 4, hasOwnProperty = 5, toString = 6, __index = 7}
state.keys = keys
local back = Json.decode(Json.encode(keys))
local same = true
for key, value in pairs(keys) do same = same and back[key] == value and state.keys[key] == value end
local recorded = checkpoint(function() return keys end)
return {same = same, keys = keys, recorded = recorded, plain = ({}).polluted == nil, input = input.constructor == nil}
