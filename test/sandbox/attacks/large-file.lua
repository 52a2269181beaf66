local ok, message = pcall(File.write, "x.txt", string.rep("p", 5000000))
return {ok, message}
