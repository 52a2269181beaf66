-- Expenses that are agreed to by people, who may take weeks. Nothing is lost meanwhile: stop the worker, and go on later.

-- Asks one person; who says nothing in three weeks has not agreed.
local function agrees(who, expense)
  return Human.approve {
    message = who
      .. ", may "
      .. expense.person
      .. " spend "
      .. expense.amount
      .. " on "
      .. expense.purpose
      .. "?",
    context = expense,
    timeout = "21d",
    default = false,
  }
end

Procedure {
  input = {
    person = field.string { default = "Ada" },
    amount = field.number { default = 1200 },
    purpose = field.string { default = "a conference" },
  },
  output = {
    status = field.string { required = true, enum = { "paid", "refused" } },
    asked = field.integer { required = true },
  },
  state = { asked = field.integer { default = 0 } },
  function(input)
    local approvers = { "Manager" }
    if input.amount > 1000 then
      approvers[2] = "Finance"
    end
    for _, who in ipairs(approvers) do
      state.asked = state.asked + 1
      if not agrees(who, input) then
        Human.notify { message = who .. " did not agree to " .. input.purpose, level = "warning" }
        return { status = "refused", asked = state.asked }
      end
    end
    File.append("payments.csv", input.person .. "," .. input.amount .. "," .. input.purpose .. "\n")
    return { status = "paid", asked = state.asked }
  end,
}

Specification([[
Feature: Expenses

  Scenario: two people agree to a large one
    When the procedure runs
    Then the output status should be "paid"
    And the output asked should be 2

  Scenario: one is enough for a small one
    Given the input amount is 80
    When the procedure runs
    Then the output status should be "paid"
    And the output asked should be 1

  Scenario: the second turns it down
    Given the person rejects "Finance, may Ada spend 1200 on a conference?"
    When the procedure runs
    Then the output status should be "refused"

  Scenario: nobody answers for three weeks
    Given nobody answers
    When the procedure runs
    Then the output status should be "refused"
    And the output asked should be 1
]])
