-- A support desk: a conversation with a customer, in which the clerk looks orders up and asks before money goes out.

local orders = {
  ["A-7"] = { item = "kettle", total = 40, state = "on its way" },
  ["A-8"] = { item = "lamp", total = 25, state = "delivered" },
}

find_order = Tool {
  description = "Looks an order up by its number",
  input = { id = field.string { required = true } },
  function(args)
    return orders[args.id] or { error = "there is no order " .. args.id }
  end,
}

-- A tool may wait for a person: the money goes out after somebody has agreed, and once.
refund = Tool {
  description = "Gives the money for an order back",
  input = { id = field.string { required = true }, reason = field.string { required = true } },
  function(args)
    local order = orders[args.id]
    if order == nil then
      return { error = "there is no order " .. args.id }
    end
    local agreed = Human.approve {
      message = "Refund " .. order.total .. " for " .. args.id .. "?",
      context = args,
    }
    if agreed then
      state.refunded = state.refunded + order.total
    end
    return { refunded = agreed }
  end,
}

-- The rules are sent with each turn; of what was said, the last twenty messages.
clerk = Agent {
  system_prompt = "You help customers of {input.shop} in one or two sentences. Look orders up before you speak of them.",
  tools = { find_order, refund },
  message_history = { filter = filters.last_n(20) },
}

Procedure {
  input = { shop = field.string { default = "Kettles & Lamps" } },
  output = {
    turns = field.integer { required = true },
    refunded = field.number { required = true },
  },
  state = { refunded = field.number { default = 0 } },
  function(input)
    local turns = 0
    local said = Human.input { message = input.shop .. ": how can we help? (bye ends it)" }
    while said ~= "bye" do
      turns = turns + 1
      said = Human.input { message = clerk(said).text }
    end
    return { turns = turns, refunded = state.refunded }
  end,
}

Mocks {
  clerk = { message = "Your kettle is on its way." },
}

Specification([[
Feature: The support desk

  Scenario: a question is answered
    Given the person answers "Where is A-7?" to "Kettles & Lamps: how can we help? (bye ends it)"
    And the person answers "bye" to "Your kettle is on its way."
    When the procedure runs
    Then the output turns should be 1
    And the output refunded should be 0

  Scenario: who wants nothing is let go
    Given the person answers "bye" to "Kettles & Lamps: how can we help? (bye ends it)"
    When the procedure runs
    Then the output turns should be 0
]])
