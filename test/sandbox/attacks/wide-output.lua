local t = {}
for i = 1, 80000 do t[i] = i end
return #checkpoint(function() return t end)
