local ok, message = pcall(Human.approve, string.rep("m", 1000000))
return {ok, message}
