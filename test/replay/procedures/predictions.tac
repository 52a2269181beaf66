-- Predictions over the network and by a mock, one after the other and side by side.
guess = Model { type = "mock", value = { score = 0.5 } }
label = Model { type = "llm", model = "openai/gpt-4o-mini", system_prompt = "Name the topic." }

Procedure {
  input = { endpoint = field.string{required = true} },
  function(input)
    local score = Model { type = "http", endpoint = input.endpoint, timeout = 20 }
    local busy = Model { type = "http", endpoint = input.endpoint .. "/busy", timeout = 20 }
    local total = 0
    for n = 1, 3 do total = total + score({ n = n }).output.score + guess({ n = n }).output.score end
    local scores = Parallel.map({ 1, 2, 3, 4, 5, 6 }, function(n)
      if n % 2 == 0 then return guess({ n = n }).output.score + score({ n = n }).output.score end
      return score({ n = n }).output.score + guess({ n = n }).output.score
    end)
    return {
      total = total,
      scores = scores,
      topic = label({ text = "tea" }).output.response,
      busy = busy({ n = 8 }).output.score,
    }
  end,
}
