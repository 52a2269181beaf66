-- A model that refuses, a prediction that fails, and an output that is none.
writer = Agent { model = "openai/gpt-4o-mini", system_prompt = "You refuse." }

Procedure {
  input = { endpoint = field.string{required = true} },
  output = { text = field.string{required = true} },
  function(input)
    local broken = Model { type = "http", endpoint = input.endpoint .. "/broken", timeout = 20 }
    local ok = pcall(function() return broken({ n = 1 }).output end)
    local told = pcall(function() return writer("break, please").output end)
    return { text = 7 }
  end,
}
