-- Sorts a message by likeness where that is enough, and asks a model only where it isn't.

stages({"sort", "answer"})

by_likeness = Classify {
  method = "fuzzy",
  classes = {"refund", "password reset"},
  algorithm = "token_set_ratio",
}

by_model = Classify {
  name = "triage",
  classes = {"billing", "account", "other"},
  prompt = "You sort messages of customers.",
  temperature = 0,
}

local topics = {refund = "billing", ["password reset"] = "account"}

Toolset "desk" {
  tools = {
    {
      name = "hours",
      description = "Says when somebody answers",
      input = { topic = field.string{required = true} },
      handler = function(args) return args.topic == "billing" and "9 to 5" or "always" end,
    },
  },
}

-- The rules come before all that is said; of that, the last four messages are enough.
clerk = Agent {
  system_prompt = "You answer customers about {input.product} in one sentence.",
  tools = {{name = "desk", include = {"hours"}}, "done"},
  context = Context {
    messages = { system("Never promise a date."), history() },
  },
  message_history = { filter = filters.last_n(4) },
}

Procedure {
  input = {
    message = field.string{default = "I want a refund please"},
    product = field.string{default = "kettles"},
  },
  output = {
    topic = field.string{required = true},
    answer = field.string{required = true},
    asked = field.boolean{required = true},
    messages = field.integer{required = true},
  },
  function(input)
    Stage.set("sort")
    local found = by_likeness(input.message)
    local topic = topics[found.value] or by_model(input.message).value

    Stage.advance()
    MessageHistory.inject_system("The topic is " .. topic .. ".")
    local result = clerk(input.message)
    if Stop.requested() and not Stop.success() then
      System.alert{message = "the clerk gave up", level = "warning", context = {topic = topic}}
    end

    return {
      topic = topic,
      answer = Tool.called("done") and Tool.last_call("done").args.reason or result.text,
      asked = Tool.called("desk_hours"),
      messages = #MessageHistory.get(),
    }
  end,
}
