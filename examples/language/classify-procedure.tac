-- A whole procedure that finds one class for a text.

ClassifyProcedure {
  name = "greeted",
  classes = { "yes", "no" },
  system_message = "Does the agent greet the customer?",
  user_message = "The agent {{ metadata.agent }} said: {{ text }}",
}

Mocks { greeted = { message = "yes", data = { value = "yes" } } }

Specification([[
Feature: Greetings
  Scenario: the agent is polite
    Given the input text is "Good morning!"
    When the procedure runs
    Then the output value should be "yes"
]])
