-- Branches with predictions over the network, a timer, and a request that nobody answers in time.
Procedure {
  input = { endpoint = field.string{required = true} },
  output = { scores = field.array{required = true}, answer = field.string{required = true}, total = field.number{required = true} },
  function(input)
    local score = Model { type = "http", endpoint = input.endpoint, timeout = 20 }
    local results = Parallel {
      function() return score({ n = 1 }).output.score + 0.5 end,
      function()
        local first = score({ n = 3 }).output.score
        Sleep(0.2)
        state.slept = true
        return first
      end,
      function()
        return Human.input{ message = "Which one?", options = { "a", "b" }, timeout = 1, default = "b" }
      end,
    }
    local answer = table.remove(results)
    local more = Parallel.map({ 4, 5 }, function(n) return score({ n = n }).output.score end, { concurrency = 2 })
    local total = 0
    for _, list in ipairs({ results, more }) do
      for _, each in ipairs(list) do total = total + each end
    end
    return { scores = { results, more }, answer = answer, total = total }
  end,
}
