-- A script that holds itself to what can be replayed: time and chance belong into a checkpoint.

strict_determinism(true)
output { dice = field.integer { required = true }, refused = field.string { required = true } }

local dice = checkpoint(function()
  return math.random(6)
end)
local _, refused = pcall(math.random, 6)

Specification([[
Feature: Chance
  Scenario: chance is refused where nothing records it
    When the procedure runs
    Then the output dice should be one of [1, 2, 3, 4, 5, 6]
    And the output refused should contain "outside of a checkpoint"
]])

return { dice = dice, refused = tostring(refused) }
