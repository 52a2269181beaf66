-- All that people can be asked. Each call waits for as long as it takes.

Hitl("publish", { type = "approval", message = "Publish it?", timeout = "3d", default = false })

Procedure {
  output = {
    published = field.boolean { required = true },
    answers = field.object {},
    file = field.string {},
  },
  function()
    Human.notify { message = "A release begins", level = "info" }
    local title = Human.input { message = "Which title?" }
    local region = Human.select { message = "Where?", options = { "eu", "us" } }
    local days = Human.select {
      message = "When?",
      options = { "Mon", "Tue", "Wed" },
      mode = "multiple",
      max = 2,
    }
    local notes = Human.review {
      message = "Are these right?",
      artifact = "# " .. title,
      options = { "yes", "no" },
    }
    local names = Human.multiple({
      { id = "author", message = "Who wrote it?" },
      { id = "channel", type = "select", message = "For whom?", options = { "all", "testers" } },
    })
    local more = Human.inputs({ { id = "motto", message = "A motto?" } })
    local plan = Human.upload { message = "The plan, please", accept = ".pdf", max_size = "10MB" }
    local colour = Human.custom {
      message = "Which colour?",
      component_type = "colour-picker",
      data = { colours = { "red", "blue" } },
    }
    Human.escalate { message = "Somebody has to look at " .. plan.name, severity = "warning" }
    local answers = {
      title = title,
      region = region,
      days = #days,
      decision = notes.decision,
      author = names.author,
      channel = names.channel,
      motto = more.motto,
      colour = colour,
    }
    return {
      published = Human.approve {
        config_key = "publish",
        approvers = { "ann", "bob", "cfo" },
        quorum = 2,
        requester = "zoe",
        channels = {},
        remind_every = "1d",
        escalate_to = { { to = "cleo", timeout = "1d" }, { to = { "dan", "eve" }, timeout = "1w" } },
      },
      answers = answers,
      file = plan.name,
    }
  end,
}

Step("the answers should have (\\w+) (\\w+)", function(context, name, value)
  local given = tostring(context.output.answers[name])
  assert(given == value, name .. " is " .. given)
end)

Specification([[
Feature: A release
  Background:
    Given the person answers "Spring" to "Which title?"
    And the person answers "us" to "Where?"
    And the person answers ["Mon","Wed"] to "When?"
    And the person answers {"decision":"yes"} to "Are these right?"
    And the person answers {"author":"Mia","channel":"testers"} to "2 questions"
    And the person answers "blue" to "Which colour?"

  Scenario: somebody answers everything
    When the procedure runs
    Then the output published should be true
    And the output file should be "test.pdf"
    And the answers should have title Spring
    And the answers should have region us
    And the answers should have days 2
    And the answers should have channel testers
    And the answers should have colour blue

  Scenario: nobody approves in time
    Given nobody answers "Publish it?"
    When the procedure runs
    Then the output published should be false
]])
