local t = {}
for i = 1, 20000 do t[i] = {i} end
while true do pcall(error, t) pcall(coroutine.wrap(function() error(t) end)) end
