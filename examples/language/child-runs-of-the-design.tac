-- The dialect of the design document: `procedure("name", {…}, function)`, and runs of other files by the same name.

main = procedure("main", {
  output = { lines = field.array {}, rest = field.boolean {} },
}, function()
  local first = procedure.run("parts/letter.tac", { name = "Ann" })
  local two = procedure.spawn("parts/letter.tac", { name = "Ben" })
  local three = procedure.spawn("parts/letter.tac", { name = "Cem", wait = "5m" })
  if procedure.status(three).status ~= "running" then
    error("it ended too early")
  end
  local isSecond = procedure.wait_any({ two, three }) == two
  local second = procedure.wait(two)
  local third = procedure.wait_all({ three })[1]
  local late = procedure.spawn("parts/letter.tac", { name = "Dee", wait = "1h" })
  procedure.cancel(late)
  local rest = isSecond and procedure.is_complete(two) and procedure.all_complete({ two, three })
  return { lines = { first.line, second.line, third.line }, rest = rest }
end)

specification([[
Feature: Letters in the older dialect
  Scenario: three are written
    When the procedure runs
    Then the output lines should be ["Dear Ann", "Dear Ben", "Dear Cem"]
    And the output rest should be true
]])
