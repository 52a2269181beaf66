-- Tools: Lua functions that agents call, and the procedure as well. Each call is recorded.

weather = Tool {
  description = "The weather in a town",
  input = { town = field.string { required = true } },
  function(args)
    return { sky = args.town == "Rome" and "sunny" or "grey" }
  end,
}

ping = Tool { name = "ping_host", description = "Is the host there?", use = "broker.host.ping" }

guide = Agent {
  system_prompt = "You advise travellers.",
  tools = { weather, "done", mcp.maps.route },
}

Procedure {
  output = {
    sky = field.string {},
    calls = field.integer {},
    facts = field.object {},
    quiet = field.boolean {},
  },
  function()
    local sky = weather({ town = "Rome" }).sky
    Tool.get("weather")({ town = "Kiel" })
    guide("Where is it sunny?")
    local call, last = weather.last_call(), Tool.last_call("weather")
    local facts = {
      name = weather.name,
      called = weather.called() and Tool.called("weather"),
      same = weather.call_count() == Tool.call_count("weather"),
      town = call and call.args.town,
      sky = weather.last_result().sky,
      last = last and last.result.sky,
      result = Tool.last_result("weather").sky,
      there = Tool("ping_host")({ n = 1 }).ok,
    }
    local calls = weather.call_count()
    weather.reset()
    Tool.reset("ping_host")
    return {
      sky = sky,
      calls = calls,
      facts = facts,
      quiet = not (weather.called() or ping.called()),
    }
  end,
}

Mocks {
  guide = { message = "In Rome", tool_calls = { { tool = "weather", args = { town = "Oslo" } } } },
}

Specification([[
Feature: Travelling
  Scenario: tools are called
    When the procedure runs
    Then the output sky should be "sunny"
    And the output calls should be 3
    And the output quiet should be true
    And the weather tool should be called with town="Oslo"
]])
