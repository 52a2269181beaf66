local function fork(n) return Parallel{function() return fork(n + 1) end} end
return fork(1)
