greet = Tool {description = "greets", input = {}, function() return "hi" end}
worker = Agent {model = "fake/model", tools = {greet}}
worker("call what isn't there")
local contents = {}
for _, message in ipairs(worker.history) do if message.role == "tool" then contents[#contents + 1] = message.content end end
return contents
