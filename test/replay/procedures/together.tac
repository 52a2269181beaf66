-- Models that are asked together, in several rounds, some of them late, some given up; what a provider looks up; a call that becomes a task.
reader = Agent { model = "openai/gpt-4o-mini", system_prompt = "Read" }
search = Tool { description = "Looks up", provider = "openai.web_search", approval = true }
searcher = Agent { model = "openai/gpt-5-mini", model_type = "responses", tools = { search } }

Procedure {
  function()
    local read = Parallel.map({ "one", "two", "break, please" }, function(text, i)
      if i == 2 then Sleep(1) end
      local ok, turn = pcall(reader, text)
      return (ok and turn.output or "broken") .. reader("And now?").output
    end, { batch = true })
    local went_on = pcall(Parallel.map, { 1, 2 }, function(n)
      if n == 1 then return reader("never").output end
      Human.approve("Go on?")
      error("enough")
    end, { batch = true })
    local found = searcher("What is new?").output
    local dug = mcp.mine.dig({ deep = 2 })
    return { read = read, went_on = went_on, found = found, dug = dug }
  end,
}
