-- Steps that are tried again, that end in time, and that something stands in for.

Procedure {
  output = { tries = field.number {}, late = field.string {}, none = field.string {} },
  function()
    local tries = 0
    local found = step("search", function()
      tries = tries + 1
      if tries < 3 then
        error("not yet")
      end
      return tries
    end, {
      retries = 4,
      backoff = { initial_delay = "1h", max_delay = "1d", backoff_factor = 3 },
    })
    local late = step("wait", function()
      Sleep("2d")
    end, {
      timeout = "1h",
      on_error = function(err, attempts)
        return Error.code(err) .. " " .. attempts
      end,
    })
    local none = step("lose", function()
      error("lost")
    end, { on_error = "nothing" })
    return { tries = found, late = late, none = none }
  end,
}

Specification([[
Feature: Steps
  Scenario: the third attempt finds it
    When the procedure runs
    Then the output tries should be 3
    And the output late should be "deadline_exceeded 1"
    And the output none should be "nothing"
]])
