-- A trip whose parts are taken back when a later one fails, and what is done in every case.

Procedure {
  output = { problem = field.string {}, undone = field.array {}, tidy = field.boolean {} },
  deadline = "2d",
  cancel_timeout = "10m",
  function()
    local undone = {}
    local tidy = false
    local ok, problem = pcall(step, "trip", function()
      defer("tidy up", function()
        tidy = true
      end)
      return Saga("book", function(saga)
        for _, what in ipairs({ "flight", "hotel" }) do
          saga.add_compensation("cancel " .. what, function()
            table.insert(undone, what)
          end)
        end
        error("no car", 0)
      end)
    end, { deadline = "1d" })
    return { problem = ok and "" or problem, undone = undone, tidy = tidy }
  end,
}

Specification([[
Feature: A trip
  Scenario: there is no car
    When the procedure runs
    Then the output problem should be "no car"
    And the output undone should be ["hotel", "flight"]
    And the output tidy should be true
]])
