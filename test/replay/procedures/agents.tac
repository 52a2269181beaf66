-- Agents with tools that ask, wait and read, whose turns are carried over continue-as-new.
lookup = Tool {
  description = "Finds an order",
  input = { id = field.string{required = true} },
  function(args)
    state.lookups = (state.lookups or 0) + 1
    Sleep(0.01)
    File.write("agents/" .. args.id .. ".txt", "order " .. args.id)
    if state.lookups == 2 then Human.approve("May " .. args.id .. " be looked up?") end
    return { id = args.id, size = File.size("agents/" .. args.id .. ".txt") }
  end,
}

writer = Agent {
  model = "openai/gpt-4o-mini",
  system_prompt = "You answer customers of {input.shop}.",
  tools = { lookup },
}
judge = Agent { model = "openai/gpt-4o-mini", system_prompt = "You judge." }

Procedure {
  input = { shop = field.string{required = true} },
  function(input)
    local said = {}
    for round = 1, 3 do
      said[#said + 1] = step("round " .. round, function()
        return writer("Where is order A" .. round .. "?").output
      end)
      said[#said + 1] = judge("Is " .. round .. " good?").output
      if round == 2 then judge.clear_history() end
    end
    local side = Parallel.map({ "B1", "B2" }, function(id)
      local own = Agent { model = "openai/gpt-4o-mini", system_prompt = "You answer.", tools = { lookup } }
      return own("Where is order " .. id .. "?").output
    end)
    said[#said + 1] = writer("Now thank them.").output
    return { said = said, side = side, lookups = state.lookups, messages = #writer.messages }
  end,
}
