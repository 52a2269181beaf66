local ok, message = pcall(checkpoint, function() return string.rep("p", 5000000) end)
return {ok, message}
