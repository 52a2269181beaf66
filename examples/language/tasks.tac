-- Pieces of work that a run can be started for: tactus-temporal run tasks.tac docs:build

IncludeTasks("parts/docs.tac", "docs")

local packed = TaskFunction(function(what)
  state.packed = what.name .. " with " .. #state.pages .. " pages"
end)

Task "pack" {
  description = "Packs what is published",
  depends_on = { "docs:build" },
  entry = packed { name = "handbook" },
}

-- Without a task's name, a run is for this one.
Task "run" {
  depends_on = { "pack", "docs:build" },
  entry = function()
    return { packed = state.packed, builds = state.builds }
  end,
}

Specification([[
Feature: Publishing
  Scenario: what is needed is done before, and once
    When the procedure runs
    Then the output packed should be "handbook with 2 pages"
    And the output builds should be 1
]])
