-- How often does a model do what it should? Try: tactus-temporal evaluate examples/greeting.tac --mock

greeter = Agent {
  system_prompt = "You greet people by their name, in one short sentence.",
  max_tokens = 40,
}

Procedure {
  input = { name = field.string{required = true} },
  output = { greeting = field.string{required = true} },
  function(input)
    return { greeting = greeter({ message = "Greet " .. input.name .. "." }).output }
  end,
}

Mocks {
  greeter = { temporal = {
    { message = "Hello, Ann!", when_message = "Greet Ann." },
    { message = "Hello, Bob!", when_message = "Greet Bob." },
  } },
}

Evaluation {
  dataset = {
    { name = "Ann", inputs = { name = "Ann" }, expected_output = { name = "Ann" } },
    { name = "Bob", inputs = { name = "Bob" }, expected_output = { name = "Bob" } },
  },
  evaluators = {
    field.contains{field = "greeting", check_expected = "name"},
    field.min_length{field = "greeting", value = 5},
    field.max_length{field = "greeting", value = 200},
    field.max_iterations{value = 1},
  },
  runs = 2,
  thresholds = { min_success_rate = 0.8, max_tokens_per_run = 500 },
}
