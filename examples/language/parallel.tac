-- Branches side by side: two hours take as long as one.

Procedure {
  output = { towns = field.array {}, lengths = field.array {}, seconds = field.number {} },
  function()
    local before = checkpoint(function()
      return os.time()
    end)
    local towns = Parallel {
      function()
        Sleep("1h")
        return "Rome"
      end,
      function()
        Sleep("1h")
        return "Kiel"
      end,
    }
    local lengths = Parallel.map(towns, function(town, i)
      Sleep(i)
      return #town
    end, { concurrency = 2 })
    local after = checkpoint(function()
      return os.time()
    end)
    return { towns = towns, lengths = lengths, seconds = after - before }
  end,
}

Specification([[
Feature: Side by side
  Scenario: it takes an hour
    When the procedure runs
    Then the output towns should be ["Rome", "Kiel"]
    And the output lengths should be [4, 4]
    And the output seconds should match pattern "^36\d\d"
]])
