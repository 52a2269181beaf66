-- Names of the reference that aren't here: a file may hold them, and the error of a call says what to write.

local names = { Compactor = Compactor }

Procedure {
  output = { advice = field.object {}, count = field.integer {}, clean = field.string {} },
  function()
    local advice, count = {}, 0
    for name, refuse in pairs(names) do
      local _, problem = pcall(refuse, {})
      advice[name] = tostring(problem):match("is not there; (.+)")
      count = count + 1
    end
    -- Loops over Python's lists go over tables here.
    for item in python.iter({ "caf\xe9", "tea" }) do
      if item ~= "tea" then
        advice.clean = utf8_clean(item)
      end
    end
    return { advice = advice, count = count, clean = advice.clean }
  end,
}

Step("it should say what to write for (\\w+)", function(context, name)
  assert(context.output.advice[name], "nothing is said of " .. name)
end)

Specification([[
Feature: What was written for the reference
  Scenario: it is told what to write
    When the procedure runs
    Then the output count should be 1
    And the output clean should be "caf?"
    And it should say what to write for Compactor
]])
