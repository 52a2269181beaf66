local t = {}
local ok, message = pcall(function() t[0/0] = 1 end)
return {ok, message, t[0/0] == nil}
