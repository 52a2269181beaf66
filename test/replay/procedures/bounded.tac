-- Budgets that are gone beyond, in branches, runs of other files and executions; answers that are mended; a procedure that a model writes.
price = Tool { description = "A price", input = { n = field.number { required = true } }, function(args) return args.n * 2 end }
talker = Agent { model = "openai/gpt-4o-mini", system_prompt = "Talk", max_tokens = 20, budget = { turns = 3 } }
sorter = Agent { model = "openai/gpt-4o-mini", output = { n = field.integer { required = true } } }
coder = Agent { model = "openai/gpt-4o-mini", code_mode = { approval = true }, tools = { price } }

Procedure {
  budget = { tokens = 5000, time = "1h" },
  function(input)
    local talked = Parallel.map({ 1, 2, 3, 4 }, function(i) return talker("Round " .. i).output end)
    local bounded = Parallel.map({ 1, 2 }, function(i)
      for _ = 1, i do
        local stop = talker("Again").exhausted
        if stop then return stop.what end
      end
      return "all"
    end, { budget = { turns = 1, on_exhausted = "stop" } })
    local n = sorter("mend me").output.n
    local member = Procedure.spawn("member.tac", { n = 1 }, { budget = { tokens = 100 } })
    Procedure.wait(member)
    local written = coder("write a procedure").output
    local failed, problem = pcall(function()
      return talker({ message = "x", budget = { tokens = 1, on_exhausted = "error" } })
    end)
    return { talked = #talked, bounded = bounded, n = n, written = written, failed = failed, left = Budget.left().tokens ~= nil }
  end,
}
