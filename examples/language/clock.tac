-- The time of a run stands still between two checkpoints, and is the same in a replay. All times are in UTC.

Procedure {
  output = {
    day = field.string {},
    weekday = field.integer {},
    passed = field.number {},
    secret = field.boolean {},
  },
  function()
    local birthday = os.time({ year = 2030, month = 1, day = 31, hour = 9 })
    local before = checkpoint(function()
      return { at = os.time(), clock = os.clock() }
    end)
    Sleep("1h")
    local after = checkpoint(function()
      return { at = os.time(), clock = os.clock() }
    end)
    -- The environment is the worker's, and no procedure's.
    local home = checkpoint(function()
      return os.getenv("HOME")
    end)
    local name = checkpoint(function()
      return os.tmpname()
    end)
    return {
      day = os.date("%Y-%m-%d %H:%M", birthday),
      weekday = os.date("*t", birthday).wday,
      passed = math.min(os.difftime(after.at, before.at), after.clock - before.clock),
      secret = home ~= nil or name == "",
    }
  end,
}

Step("about an hour should have passed", function(context)
  local passed = context.output.passed
  assert(passed >= 3600 and passed < 3700, "it was " .. passed)
end)

Specification([[
Feature: The clock
  Scenario: an hour passes
    When the procedure runs
    Then the output day should be "2030-01-31 09:00"
    And the output weekday should be 5
    And the output secret should be false
    And about an hour should have passed
]])
