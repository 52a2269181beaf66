-- How often a procedure does what it should: cases, and what judges them. Try: tactus-temporal evaluate … --mock

counter = Agent { system_prompt = "Count the letters.", tools = { "done" } }

Procedure {
  input = { name = field.string { default = "Ann" } },
  output = {
    greeting = field.string { required = true },
    letters = field.integer { required = true },
  },
  function(input)
    state.name = input.name
    counter("How long is " .. input.name .. "?")
    return { greeting = "Hello, " .. input.name .. "!", letters = #input.name }
  end,
}

Mocks {
  counter = { message = "3", tool_calls = { { tool = "done", args = { reason = "counted" } } } },
}

local cases = { { name = "Ann", inputs = { name = "Ann" }, expected_output = { letters = 3 } } }

Evaluation {
  dataset = cases,
  evaluators = {
    field.contains { field = "greeting", value = "ann" },
    field.contains_any { field = "greeting", value = { "Hello", "Hi" } },
    field.min_length { field = "greeting", value = 5 },
    field.max_length { field = "greeting", value = 50 },
    field.regex { field = "greeting", value = "^Hello" },
    field.llm_judge { rubric = "Is the greeting kind?", model = "openai/gpt-5-mini" },
  },
}
Evaluations {
  dataset = cases,
  evaluators = {
    field.equals_expected { field = "letters" },
    field.exact_match { field = "letters", value = 3 },
    field.is_instance { field = "letters", value = "integer" },
    field.range { field = "letters", value = { min = 1, max = 9 } },
    field.json_schema { json_schema = { type = "object", required = { "greeting" } } },
  },
}
evaluation {
  dataset = cases,
  evaluators = {
    field.tool_called { value = "done", min_value = 1 },
    field.agent_turns { field = "counter", max_value = 1 },
    field.state_check { field = "name", value = "Ann" },
  },
}
evaluations {
  dataset = cases,
  evaluators = {
    field.max_iterations { value = 2 },
    field.max_tokens { value = 1000 },
    field.max_cost { value = 0.1 },
  },
  thresholds = { min_success_rate = 1 },
}

Specification([[
Feature: Greetings
  Scenario: somebody is greeted
    When the procedure runs
    Then the output greeting should be "Hello, Ann!"
    And the output letters should be 3
]])
