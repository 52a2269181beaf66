-- Budgets, and a ceiling on calls of models, whose questions people answer while branches run and words for agents come, over executions; a child whose use counts; a thought that goes back; a call that is cut off.
look = Tool { description = "Looks", input = {}, function() return "seen" end }
writer = Agent { model = "openai/gpt-4o-mini", system_prompt = "Write", budget = { tokens = 60, on_exhausted = "ask" } }
critic = Agent { model = "openai/gpt-4o-mini", system_prompt = "Judge", tools = { look } }

Procedure {
  budget = { tokens = 400, on_exhausted = "ask" },
  function()
    local read = Parallel{
      function() local said = 0 for i = 1, 4 do said = said + #writer("Round " .. i).output end return said end,
      function() for i = 1, 6 do Sleep(0.2) end return critic("think about it").output end,
      function()
        local child = Procedure.spawn("member.tac", { n = 1 })
        Sleep(0.5)
        return Procedure.wait(child) ~= nil
      end,
      function() return Human.approve("Beside all that?") end,
    }
    local cut = critic("be cut off").output
    return { read = read, cut = cut }
  end,
}
