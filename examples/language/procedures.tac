-- Procedures of one file call each other; each call is a checkpoint with a frame of its own.

Procedure "shipping" {
  input = { weight = field.number { required = true } },
  function(input)
    return { cost = input.weight > 2 and 9 or 4 }
  end,
}

Procedure {
  name = "order",
  description = "What an order costs",
  version = "1.0",
  tags = { "shop" },
  input = { price = field.number { required = true }, weight = field.number { default = 1 } },
  output = { total = field.number { required = true }, shipping = field.number {} },
  function(input)
    local light = Procedure("shipping")({ weight = 1 }).cost
    local cost = Procedure("shipping")({ weight = input.weight }).cost
    return { total = input.price + cost, shipping = math.max(light, cost) }
  end,
}

Specification([[
Feature: Orders
  Scenario: a heavy parcel
    Given the input price is 20
    And the input weight is 3
    When the procedure runs
    Then the output total should be 29
    And the execution log should contain 2 procedure_call entries
]])
