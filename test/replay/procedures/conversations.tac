-- Agents in branches, with conversations of their own, and turns that stand for themselves, over continue-as-new.
writer = Agent { model = "openai/gpt-4o-mini", system_prompt = "You write." }
alone = Agent {
  model = "openai/gpt-4o-mini",
  system_prompt = "You answer.",
  message_history = { mode = "isolated" },
}

Procedure {
  function()
    writer("Begin")
    local counts = Parallel.map({ "one", "two", "three" }, function(word)
      writer(word)
      MessageHistory.append("About " .. word)
      local inner = Parallel{
        function() writer(word .. ", again") return #writer.messages end,
        function() alone(word) alone({ message = word .. "?" }) return #alone.messages end,
      }
      if word == "two" then Human.approve("Shall " .. word .. " go on?") end
      writer(word .. ", at last")
      return { #writer.messages, inner, writer.output }
    end, { concurrency = 2 })
    local told = writer({ message = "End", message_history = { mode = "isolated" } })
    return { counts = counts, left = #MessageHistory.get(), told = told.output }
  end,
}
