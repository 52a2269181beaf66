-- A procedure with its tests. Try: tactus-temporal test examples/refund.tac --mock

find_order = Tool {
  description = "Looks an order up by its number",
  input = { id = field.string{required = true} },
  function(args)
    return { id = args.id, total = 40, delivered = args.id ~= "A-7" }
  end,
}

clerk = Agent {
  system_prompt = "You decide about refunds. Look the order up first.",
  tools = { find_order },
  output = { amount = field.number{required = true}, reason = field.string{required = true} },
}

Procedure {
  input = { message = field.string{required = true} },
  output = { refunded = field.number{required = true}, by = field.string{required = true} },
  function(input)
    local proposal = clerk({ message = input.message }).output
    state.reason = proposal.reason
    if proposal.amount <= 20 then
      return { refunded = proposal.amount, by = "clerk" }
    end
    local agreed = Human.approve{
      message = "Refund " .. proposal.amount .. "?",
      context = proposal,
      timeout = "3d",
      default = false,
    }
    if not agreed then error("the refund was turned down") end
    return { refunded = proposal.amount, by = "person" }
  end,
}

Mocks {
  clerk = {
    message = "The parcel never came.",
    tool_calls = { { tool = "find_order", args = { id = "A-7" } } },
    data = { amount = 40, reason = "never delivered" },
  },
}

Step("the reason should be about (\\w+)", function(context, word)
  assert(state.reason:find(word, 1, true), "the reason is: " .. state.reason)
  assert(context.output.refunded > 0, "nothing was refunded")
end)

Specification[[
Feature: Refunds

  Background:
    Given the procedure has started
    And the input message is "Order A-7 never came. I want my money back."

  Scenario: a person agrees to a large refund
    When the procedure runs
    Then the find_order tool should be called with id=A-7
    And the output refunded should be 40
    And the output by should be "person"
    And the reason should be about delivered

  Scenario: a person turns it down
    Given the person rejects "Refund 40?"
    When the procedure runs
    Then the procedure should fail with "turned down"

  Scenario: nobody answers for three days
    Given nobody answers
    When the procedure runs
    Then the procedure should fail with "turned down"

  Scenario Outline: a small refund asks nobody
    Given the agent "clerk" returns data {"amount": <amount>, "reason": "a scratch"}
    When the procedure runs
    Then the output refunded should be <amount>
    And the output by should be "clerk"
    And the execution log should contain 0 hitl_approval entries

    Examples:
      | amount |
      | 5      |
      | 20     |
]]
