-- What a procedure takes and gives: fields with their types, checked at the edge.

Procedure {
  input = {
    name = field.string { required = true, description = "Who orders" },
    price = field.number { required = true },
    count = field.integer { default = 1 },
    gift = field.boolean { default = false },
    colours = field.array { items = field.string {}, default = { "red" } },
    address = field.object { properties = { town = field.string { required = true } } },
    extras = field.table {},
    note = field.any {},
    size = { type = "string", enum = { "small", "large" }, default = "small" },
  },
  output = { order = field.object { required = true }, total = field.number { required = true } },
  function(input)
    local order =
      { name = input.name, first = input.colours[1], size = input.size, gift = input.gift }
    order.town = input.address and input.address.town or "nowhere"
    return { order = order, total = input.price * input.count }
  end,
}

Specification([[
Feature: Orders
  Background:
    Given the input name is "Ann"
    And the input price is 2.5

  Scenario: defaults are filled in
    When the procedure runs
    Then the output total should be 2.5
    And the output order should be {"first": "red", "gift": false, "name": "Ann", "size": "small", "town": "nowhere"}

  Scenario: a wrong type is refused
    Given the input count is "many"
    When the procedure runs
    Then the procedure should fail with "count"
]])
