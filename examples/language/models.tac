-- Models that predict. `Model` wraps what they give, `model` doesn't.

mood = Model {
  type = "http",
  endpoint = "https://models.example/mood",
  input = { text = field.string { required = true } },
  output = field.string {},
  timeout = "10s",
}
size = model("size", { type = "mock", value = 3 })

label = Model {
  type = "llm",
  model = "openai/gpt-5-mini",
  system_prompt = "Name the topic in one word.",
  idle_timeout = "20s",
}

Procedure {
  input = { text = field.string { default = "Lovely!" } },
  output = {
    mood = field.string {},
    size = field.integer {},
    same = field.boolean {},
    topic = field.string {},
    moods = field.integer {},
  },
  function(input)
    local found = mood({ text = input.text })
    local again = mood.predict({ text = input.text })
    local many = mood.predict_batch({ { text = "Oh no!" }, { text = "Well." } })
    return {
      mood = found.output,
      size = size("x"),
      topic = label({ text = input.text }).output.response,
      moods = #many,
      same = Model("mood")({ text = "x" }).output == again.output,
    }
  end,
}

Mocks { mood = { returns = "happy" }, label = { returns = { response = "weather" } } }

Specification([[
Feature: Moods
  Scenario: somebody is happy
    When the procedure runs
    Then the output mood should be "happy"
    And the output size should be 3
    And the output moods should be 2
    And the output same should be true
    And the output topic should be "weather"
    And the execution log should contain 7 model_predict entries
]])
