-- Where a procedure stands: the stages that it declares, one after the other.

stages({ "draft", "review", "published" })

Procedure {
  output = { path = field.array {}, last = field.string {}, over = field.boolean {} },
  function()
    Stage.set("draft")
    if not Stage.is("draft") then
      error("it isn't a draft")
    end
    Stage.advance()
    Human.approve("Is it good?")
    Stage.advance()
    local path = {}
    for i, change in ipairs(Stage.history()) do
      path[i] = change.to_stage
    end
    return { path = path, last = Stage.current(), over = Stage.advance() == nil }
  end,
}

Specification([[
Feature: Stages
  Scenario: it is published
    When the procedure runs
    Then the stage should be published
    And the stage should transition from review to published
    And the output path should be ["draft", "review", "published"]
    And the output over should be true
]])
