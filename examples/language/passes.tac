-- A run without an end: each pass begins at the top with the state, and without the log of those before.

Procedure {
  input = { left = field.integer { default = 2 } },
  state = { orders = field.integer { default = 0 } },
  output = { orders = field.integer {} },
  function(input)
    local order = Event.wait("order", { timeout = "1h" })
    if order then
      state.orders = state.orders + 1
    end
    local result = { orders = state.orders }
    -- Nothing comes back from it: the next pass begins at the top.
    return input.left == 0 and result or Procedure.continue_as_new { left = input.left - 1 }
  end,
}

Specification([[
Feature: Passes
  Scenario: it looks three times, and nothing comes
    When the procedure runs
    Then the output orders should be 0
]])
