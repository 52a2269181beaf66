-- Started as a child by the workflow in ../workflows.ts.

Procedure {
  input = { order = field.string{required = true}, amount = field.number{required = true} },
  output = { refunded = field.boolean{required = true}, by = field.string{required = true} },
  function(input)
    if input.amount < 50 then
      return { refunded = true, by = "rule" }
    end
    local agreed = Human.approve{
      message = "Refund " .. input.amount .. " for order " .. input.order .. "?",
      timeout = "3d",
      default = false,
    }
    return { refunded = agreed, by = "person" }
  end,
}

Specification[[
Feature: Refunds

  Scenario: a small refund asks nobody
    Given the input order is "A-7"
    And the input amount is 40
    When the procedure runs
    Then the output by should be "rule"

  Scenario: a person turns a large refund down
    Given the input order is "A-8"
    And the input amount is 400
    And the person rejects "Refund 400 for order A-8?"
    When the procedure runs
    Then the output refunded should be false
    And the output by should be "person"
]]
