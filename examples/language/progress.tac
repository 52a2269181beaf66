-- An agent works until it says that it is done, or has taken too many turns.

worker = Agent { system_prompt = "Sort the letters. Call done.", tools = { "done" } }

Procedure {
  output = { turns = field.integer {}, reason = field.string {}, success = field.boolean {} },
  function()
    repeat
      worker("Go on")
    until Stop.requested() or Iterations.exceeded(10)
    return { turns = Iterations.current(), reason = Stop.reason(), success = Stop.success() }
  end,
}

Mocks {
  worker = {
    temporal = {
      { message = "The first pile is sorted." },
      {
        message = "Done.",
        tool_calls = { { tool = "done", args = { reason = "All is sorted." } } },
      },
    },
  },
}

Specification([[
Feature: Progress
  Scenario: it takes two turns
    When the procedure runs
    Then the output turns should be 2
    And the output reason should be "All is sorted."
    And the output success should be true
]])
