-- Everything that people can be asked.
Procedure {
  function()
    Human.notify { message = "It begins", level = "info" }
    local seen = {}
    seen.title = Human.input { message = "Which title?", placeholder = "Spring" }
    seen.count = Human.input {
      message = "How many? Answer with 7",
      response_schema = { type = "integer", maximum = 9 },
    }
    seen.region = Human.select { message = "Where?", options = { "eu", "us" } }
    seen.regions = Human.select { message = "Where else?", options = { "eu", "us", "ap" }, mode = "multiple", max = 2 }
    seen.notes = Human.review { message = "Are these right?", artifact = "# notes" }.decision
    seen.names = Human.multiple({
      { id = "version", message = "Which version?" },
      { id = "channel", type = "select", message = "For whom?", options = { "stable", "testers" } },
    })
    seen.more = Human.inputs({ { id = "version", message = "Which one?" }, { id = "channel", message = "Where to?" } })
    seen.plan = Human.upload { message = "The plan, please", accept = ".md", max_size = "10MB" }
    seen.colour = Human.custom { message = "Which colour?", component_type = "colours", data = { "red", "blue" } }
    Human.escalate { message = "Somebody has to look", severity = "warning" }
    seen.publish = Human.approve { message = "Publish it?", context = { version = 1 } }
    return seen
  end,
}
