worker = Agent {model = "fake/model", system_prompt = function() while true do end end}
worker("hello")
