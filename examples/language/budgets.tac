-- What a run and its parts may use, and what is left of it.
writer = Agent {
  system_prompt = "Write a line",
  budget = { tokens = 2000, on_exhausted = "stop" },
}

Procedure {
  budget = { turns = 10, model_calls = 20, cost = 2.5, on_exhausted = "error" },
  output = {
    left = field.number { required = true },
    stopped = field.boolean { required = true },
  },
  function(input)
    local result = writer { message = "Begin", budget = { time = "1h" } }
    return { left = Budget.left().turns, stopped = result.exhausted ~= nil }
  end,
}

Mocks { writer = { message = "A line" } }

Specification([[
Feature: Budgets
  Scenario: Enough is left
    When the procedure runs
    Then the procedure should complete successfully
    And the output left should be 9
    And the output stopped should be false
]])
