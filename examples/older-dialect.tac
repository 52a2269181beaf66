-- Written as for Tactus 0.10: `agent("worker", …)` makes the global `Worker`, which has every declared tool, and `done`.

stages({"working", "reporting"})

tool("add", {
  description = "Adds two numbers",
  parameters = {
    a = {type = "number", required = true},
    b = {type = "number", required = true},
  },
}, function(args)
  return args.a + args.b
end)

agent("worker", {
  provider = "openai",
  model = "gpt-5-mini",
  system_prompt = "You calculate. Call done with the result as the reason.",
  initial_message = "{input.task}",
})

main = procedure("main", {
  input = { task = {type = "string", default = "What is 2 plus 3?"} },
  outputs = {
    result = {type = "string", required = true},
    turns = {type = "number", required = true},
    said = {type = "array"},
  },
}, function()
  Stage.set("working")
  repeat
    Worker.turn()
  until Tool.called("done") or Iterations.exceeded(5)

  Stage.set("reporting")
  local said = {}
  for _, message in python.iter(MessageHistory.get()) do
    said[#said + 1] = message.role
  end
  return {
    result = Tool.called("done") and Tool.last_call("done").args.reason or Worker.output,
    turns = Iterations.current(),
    said = said,
  }
end)
