-- The dialect of the design document: `procedure("name", {…}, function)`, and runs of other files by the same name.

main = procedure("main", {
  output = { lines = field.array {}, rest = field.boolean {}, resumed = field.boolean {} },
}, function()
  local first = procedure.run("parts/letter.tac", { name = "Ann" })
  local two = procedure.spawn("parts/letter.tac", { name = "Ben" })
  local three = procedure.spawn("parts/letter.tac", { name = "Cem", wait = "5m" })
  if procedure.status(three).status ~= "running" then
    error("it ended too early")
  end
  local isSecond = procedure.wait_any({ two, three }) == two
  procedure.inject(three, "there is time")
  local second = procedure.wait(two)
  local third = procedure.wait_all({ three })[1]
  local late = procedure.spawn("parts/letter.tac", { name = "Dee", wait = "1h" })
  procedure.cancel(late)
  local ended = procedure.await_children { children = { { id = two }, { id = three } } }
  local gone_on = procedure.defer {
    key = "later",
    resume_at = "2020-01-31T09:00:00Z",
    reason = "letters are sent at nine",
  }
  local rest = isSecond and procedure.is_complete(two) and procedure.all_complete({ two, three })
  local lines = { first.line, second.line, third.line }
  return { lines = lines, rest = rest and #ended.children == 2, resumed = gone_on.completed }
end)

specification([[
Feature: Letters in the older dialect
  Scenario: three are written
    When the procedure runs
    Then the output lines should be ["Dear Ann", "Dear Ben", "Dear Cem"]
    And the output rest should be true
    And the output resumed should be true
]])
