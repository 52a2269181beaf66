-- The first of several branches that gives something, and how each of several ended.

Procedure {
  output = {
    town = field.string {},
    winner = field.number {},
    statuses = field.array {},
    reason = field.string {},
  },
  function()
    local town, winner = Parallel.race {
      function()
        Sleep("2h")
        return "Rome"
      end,
      function()
        error("closed")
      end,
      function()
        Sleep("1h")
        return "Kiel"
      end,
    }
    local ended = Parallel.all_settled({
      function()
        return "open"
      end,
      function()
        error({ message = "closed" })
      end,
    }, { concurrency = 1 })
    local statuses = {}
    for i, branch in ipairs(ended) do
      statuses[i] = branch.status
    end
    return { town = town, winner = winner, statuses = statuses, reason = ended[2].reason.message }
  end,
}

Specification([[
Feature: A race
  Scenario: the shorter wait wins
    When the procedure runs
    Then the output town should be "Kiel"
    And the output winner should be 3
    And the output statuses should be ["fulfilled", "rejected"]
    And the output reason should be "closed"
]])
