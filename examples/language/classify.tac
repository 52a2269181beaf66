-- One of several classes for a text: by likeness, and by a language model.

Procedure {
  input = { text = field.string { default = "my kettle never came" } },
  output = {
    word = field.string {},
    topic = field.string {},
    sure = field.boolean {},
    topics = field.array {},
  },
  function(input)
    local colour = Classify { method = "fuzzy", classes = { "green", "blue" }, threshold = 0.6 }
    local topic = Classify {
      name = "topic",
      classes = { "billing", "delivery" },
      prompt = "What is this message about?",
    }
    local found = topic(input.text)
    -- Of a list, in one batch of the provider's where it takes some.
    local mails = Classify {
      name = "mails",
      classes = { "billing", "delivery" },
      prompt = "What is this message about?",
      batch = true,
    }
    local topics = {}
    for i, each in ipairs(mails { "where is my tea?", "where is my money?" }) do
      topics[i] = each.value
    end
    return {
      topics = topics,
      word = colour("gren").value,
      topic = found.value,
      sure = found.confidence > 0.5,
    }
  end,
}

Mocks {
  topic = { message = "delivery", data = { value = "delivery" } },
  mails = { message = "billing", data = { value = "billing" } },
}

Specification([[
Feature: Sorting
  Scenario: it is about a delivery
    When the procedure runs
    Then the output word should be "green"
    And the output topic should be "delivery"
    And the output sure should be true
    And the output topics should be ["billing", "billing"]
]])
