while true do Agent {model = "fake/model", system_prompt = string.rep("x", 1000)} end
