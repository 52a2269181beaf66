-- An agent writes, another judges; what they said is there to be looked at.

default_provider("openai")
default_model("gpt-5-mini")
max_turns(20)
max_depth(3)
Prompt("tone", "Be kind and brief.")
return_prompt("Say what was written.")
error_prompt("Say what went wrong.")
status_prompt("Say how far you are.")

writer = Agent {
  system_prompt = Prompt("tone") .. " You write about {input.topic}. " .. Prompt("return"),
  initial_message = "Begin",
  idle_timeout = "20s",
}
judge = Agent {
  model_type = "responses",
  background = true,
  request_timeout = "30m",
  system_prompt = "Judge the text. " .. Prompt("error") .. Prompt("status"),
  output = { mark = field.integer { required = true } },
}

Procedure {
  input = { topic = field.string { default = "tea" } },
  output = {
    text = field.string {},
    mark = field.integer {},
    said = field.array {},
    told = field.object {},
  },
  function(input)
    local first = writer()
    local second = writer.turn({ inject = "Shorter" })
    local mark = judge({ message = second.text, style = "strict" }).data.mark
    local told = {
      name = writer.name,
      last = writer.output,
      same = second.output == second.value,
      tokens = first.usage.total_tokens + (writer.usage or second.usage).total_tokens,
      cost = first.cost().total_cost + writer.cost().total_cost,
      messages = #writer.messages,
      history = #writer.history + #writer.get_history() + #first.all_messages(),
      new = #second.new_messages() + #first.messages,
      -- Only where the model says how sure it is of what it chose.
      sure = first.confidence or (first.confidences or {}).tea or 1,
    }
    writer.clear_history()
    local once = Agent("judge")({ message = "About " .. input.topic })
    return {
      text = second.text,
      mark = mark + once.output.mark,
      said = writer.get_history(),
      told = told,
    }
  end,
}

Mocks {
  writer = {
    temporal = { { message = "Tea is brewed from leaves." }, { message = "Tea: hot leaves." } },
  },
  judge = { message = "Good", data = { mark = 4 } },
}

Specification([[
Feature: Writing
  Scenario: a text is written, shortened and judged
    When the procedure runs
    Then the output text should be "Tea: hot leaves."
    And the output mark should be 8
    And the output said should be []
    And the output told should contain "writer"
    And the writer agent should take at least 2 turns
]])
