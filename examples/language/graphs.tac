-- A graph that runs in super-steps: nodes side by side, whose writes go through reducers into channels.

checker = Graph {
  name = "checker",
  channels = { notes = Graph.append, ok = true },
  nodes = {
    count = function(state)
      return { writes = { ok = #state.notes > 1 } }
    end,
  },
}

main = Graph {
  description = "Looks a question up in two places, and answers when a person agrees",
  channels = {
    question = true,
    notes = Graph.append,
    recent = Graph.bounded(2),
    answer = Graph.last,
    total = function(current, update)
      return (current or 0) + update
    end,
  },
  entrypoint = "plan",
  max_steps = 10,
  nodes = {
    plan = function(state)
      return { writes = { recent = { state.question } }, next = { "web", "files" } }
    end,
    -- These two run side by side, each on the state that `plan` left.
    web = function()
      return {
        writes = { notes = { "seen on the web" }, total = 1, recent = { "web" } },
        ledger = { { topic = "seen", key = "web", data = { hits = 1 } } },
        next = "join",
      }
    end,
    files = function()
      return {
        writes = { notes = { "seen in files" }, total = 2, recent = { "files" } },
        ledger = { { topic = "seen", key = "files" } },
        next = "join",
      }
    end,
    -- Both have named it, and it runs once.
    join = function(state)
      local checked = checker({ notes = state.notes }).values
      local said = Graph.interrupt(
        "send the answer?",
        { notes = state.notes },
        { timeout = "3d", default = { yes = false } }
      )
      return { writes = { answer = checked.ok and said.yes and "sent" or "kept" } }
    end,
  },
}

Specification([[
Feature: A graph
  Scenario: somebody agrees
    Given the person answers {"yes": true} to "send the answer?"
    And the input question is "Why?"
    When the procedure runs
    Then the output answer should be "sent"
    And the output total should be 3
    And the output notes should be ["seen on the web", "seen in files"]
    And the output recent should be ["web", "files"]
  Scenario: nobody answers
    Given nobody answers "send the answer?"
    When the procedure runs
    Then the output answer should be "kept"
]])
