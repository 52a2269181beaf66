local lying = setmetatable({1, 2, x = "own"}, {
  __pairs = function() return next, {lie = true} end, __len = function() return 99 end, __index = function() return "lie" end,
})
return {recorded = checkpoint(function() return lying end), encoded = Json.encode(lying), kept = lying}
