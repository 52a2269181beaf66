-- A script: no procedure is declared, the file itself is one. `params` is `input` by its old name.

Specifications([[
Feature: A script
  Scenario: it greets twice
    Given the input name is "Ann"
    When the procedure runs
    Then the output greeting should be "Hello, Ann! Hello, Ann"
    And the state calls should be 2
]])

input { name = field.string { required = true }, times = field.integer { default = 2 } }
output { greeting = field.string { required = true }, calls = field.integer {} }
state { calls = field.integer { default = 0 } }

local parts = {}
for i = 1, input.times do
  parts[i] = "Hello, " .. params.name
  state.calls = state.calls + 1
end

return { greeting = table.concat(parts, "! "), calls = state.calls }
