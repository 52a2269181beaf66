state.big = string.rep("x", 100000)
worker = Agent {model = "fake/model", system_prompt = string.rep("{state.big}", 10000)}
return worker("hello").output
