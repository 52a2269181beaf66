-- Where a procedure stands: the stages that it declares, one after the other.

stages({ "draft", "review", "published" })

Procedure {
  output = {
    path = field.array {},
    last = field.string {},
    over = field.boolean {},
    forgotten = field.integer {},
  },
  function()
    Stage.set("draft")
    if not Stage.is("draft") or not Stage.is_current("draft") then
      error("it isn't a draft")
    end
    Stage.advance()
    Human.approve("Is it good?")
    Stage.advance()
    local path = {}
    for i, change in ipairs(Stage.history()) do
      path[i] = change.to_stage
    end
    local entered = Stage.count()
    local result = { path = path, last = Stage.current(), over = Stage.advance() == nil }
    Stage.clear_history()
    result.forgotten = entered - Stage.count()
    return result
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
    And the output forgotten should be 3
]])
