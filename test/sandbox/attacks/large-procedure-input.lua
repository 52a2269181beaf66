local ok, message = pcall(Procedure.run, "other.tac", {text = string.rep("p", 5000000)})
return {ok, message}
