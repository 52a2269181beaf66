-- Time: a timer, and a time of the calendar.

Procedure {
  input = { opens_at = field.string { default = "2099-01-31T09:00:00+01:00" } },
  output = { opened = field.string { required = true }, slept = field.number {} },
  function(input)
    local before = checkpoint(function()
      return os.time()
    end)
    Sleep("90m")
    Sleep(30)
    local after = checkpoint(function()
      return os.time()
    end)
    local gone_on = Procedure.defer {
      key = "opening",
      resume_at = input.opens_at,
      reason = "the shop is closed",
    }
    return { opened = gone_on.resume_at, slept = os.difftime(after, before) }
  end,
}

Step("it should have slept for (\\d+) seconds", function(context, seconds)
  local slept = context.output.slept
  assert(slept >= tonumber(seconds), "it slept for " .. slept)
end)

Specification([[
Feature: Opening hours
  Scenario: the shop opens tomorrow
    Given the input opens_at is "2030-01-02T09:00:00+01:00"
    When the procedure runs
    Then the output opened should be "2030-01-02T08:00:00Z"
    And it should have slept for 5430 seconds
]])
