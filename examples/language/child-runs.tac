-- Letters as runs of their own: one waited for, several side by side, one given up.
-- Looking at a run is a checkpoint too.

Procedure {
  output = {
    first = field.string { required = true },
    lines = field.array { items = field.string {} },
    quick = field.string {},
    stood = field.string {},
    given_up = field.boolean {},
    known = field.integer {},
  },
  function()
    local first = Procedure.run("parts/letter.tac", { name = "Ann" })
    local slow = Procedure.spawn("parts/letter.tac", { name = "Ben", wait = "2h" })
    local quick = Procedure.spawn("parts/letter.tac", { name = "Cem", wait = "1m" })
    local stood = Procedure.status(quick).status
    local isQuick = Procedure.wait_any({ slow, quick }, { timeout = "1d" }) == quick
    local line = Procedure.wait(quick, "1h").line
    if Procedure.is_complete(slow) or not isQuick then
      error("the slow one was quick")
    end
    Procedure.inject(slow, "hurry up")
    Procedure.cancel(slow)

    local more = {
      Procedure.spawn("parts/letter.tac", { name = "Dee" }),
      Procedure.spawn("parts/letter.tac", { name = "Eve" }),
    }
    local lines = {}
    for i, letter in ipairs(Procedure.wait_all(more)) do
      lines[i] = letter.line
    end
    local ended =
      Procedure.await_children { children = { { id = more[1] }, { id = more[2] } }, mode = "all" }
    return {
      first = first.line,
      lines = lines,
      quick = line,
      stood = stood,
      given_up = Procedure.all_complete({ slow, quick }),
      known = #ended.children,
    }
  end,
}

Specification([[
Feature: Letters
  Scenario: all are written
    When the procedure runs
    Then the output first should be "Dear Ann"
    And the output quick should be "Dear Cem"
    And the output stood should be "running"
    And the output lines should be ["Dear Dee", "Dear Eve"]
    And the output known should be 2
    And the output given_up should be true
]])
