-- An agent that calls a tool, a person who approves, a file that is written.
lookup = Tool {
  description = "Finds an order",
  input = { id = field.string{required = true} },
  function(args)
    state.lookups = (state.lookups or 0) + 1
    return { id = args.id, days_late = 3 }
  end,
}

writer = Agent {
  model = "openai/gpt-4o-mini",
  system_prompt = "You answer customers of {input.order}.",
  tools = { lookup },
}

Procedure {
  input = { order = field.string{required = true} },
  output = {
    draft = field.string{required = true},
    sent = field.boolean{required = true},
    thanks = field.string{required = true},
  },
  function(input)
    print("order", input.order)
    local draft = step("draft", function()
      return writer("Where is order " .. input.order .. "?").output
    end)
    local length = checkpoint(function() return #draft end)
    local sent = Human.approve{ message = "Send it?", context = { draft = draft, length = length } }
    local file = "sent/" .. input.order .. ".txt"
    if sent then File.write(file, draft) end
    local thanks = writer("Now thank them.").output
    Log.info("done", { file = file })
    return { draft = draft, sent = sent, thanks = thanks }
  end,
}
