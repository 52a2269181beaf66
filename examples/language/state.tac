-- Working data of a procedure: `state.x`, and functions of the same.

Procedure {
  state = { count = field.integer { default = 0 }, names = field.array { default = {} } },
  output = {
    count = field.integer {},
    names = field.array {},
    town = field.string {},
    left = field.integer {},
  },
  function()
    state.count = state.count + 1
    State.increment("count")
    State.increment("count", 5)
    State.append("names", "Ann")
    State.append("names", "Ben")
    State.set("town", "Rome")
    local all = State.all()
    State.clear()
    local left = 0
    for _ in pairs(state) do
      left = left + 1
    end
    return { count = all.count, names = all.names, town = State.get("town", "nowhere"), left = left }
  end,
}

Specification([[
Feature: State
  Scenario: it is counted, and then forgotten
    When the procedure runs
    Then the output count should be 7
    And the output names should be ["Ann", "Ben"]
    And the output town should be "nowhere"
    And the output left should be 0
]])
