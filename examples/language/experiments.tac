-- What runs are compared by: labels, a variant that a run keeps, and a score that it gives itself.

Procedure {
  input = { customer = field.string { default = "acme" } },
  output = { tone = field.string {}, kept = field.boolean {} },
  function(input)
    Procedure.label("customer", input.customer)
    local tone = Experiment.variant("tone", { "plain", "warm" })
    local again = Experiment.variant("tone", { "plain", "warm" })
    Procedure.score("known", tone == "plain" or tone == "warm", { comment = "one of the two" })
    return { tone = tone, kept = again == tone }
  end,
}

Specification([[
Feature: Experiments
  Scenario: a run keeps its variant
    When the procedure runs
    Then the output tone should match pattern "^(plain|warm)$"
    And the output kept should be true
]])
