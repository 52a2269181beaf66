-- The conversation of a run: what is added here every agent sees, what is taken away none sees any longer.

seller = Agent {
  system_prompt = "You sell kettles.",
  filter = filters.compose(filters.last_n(6), filters.tail_tokens(500)),
}
checker = Agent {
  system_prompt = "You check what customers say.",
  message_history = {
    source = "seller",
    filter = filters.compose(filters.by_role("user"), filters.first_n(3), filters.head_tokens(100)),
  },
}
closer = Agent {
  system_prompt = "You say good-bye.",
  message_history = { filter = filters.compose(filters.system_prefix(), filters.token_budget(100)) },
}

local function contents(messages)
  local texts = {}
  for i, message in ipairs(messages) do
    texts[i] = message.content
  end
  return table.concat(texts, " ")
end

Procedure {
  output = {
    all = field.string {},
    ends = field.string {},
    kept = field.string {},
    left = field.integer {},
  },
  function()
    MessageHistory.inject_system("The shop is open.")
    MessageHistory.append(Message { role = "user", content = "Hello" })
    MessageHistory.checkpoint("greeted")
    seller("How much is a kettle?")
    checker("Is that a fair question?")
    closer("Say good-bye")
    local all = contents(MessageHistory.get())
    local ends = contents(MessageHistory.head(1)) .. contents(MessageHistory.tail(1))
    ends = ends
      .. #MessageHistory.slice({ start = 2, stop = 3 })
      .. #MessageHistory.tail_tokens(1000)
    MessageHistory.rewind(5)
    MessageHistory.rewind_to("greeted")
    MessageHistory.keep_head(2)
    MessageHistory.keep_tail(2)
    MessageHistory.keep_tail_tokens(1000)
    local kept = contents(MessageHistory.get())
    MessageHistory.reset({ keep = "system_prefix" })
    MessageHistory.replace({ { role = "user", content = "Bye" } })
    MessageHistory.clear()
    return { all = all, ends = ends, kept = kept, left = #MessageHistory.get() }
  end,
}

Mocks {
  seller = { message = "It costs 40." },
  checker = { message = "Yes" },
  closer = { message = "Bye" },
}

Specification([[
Feature: A conversation
  Scenario: it is looked at and cut
    When the procedure runs
    Then the output all should be "The shop is open. Hello How much is a kettle? It costs 40. Is that a fair question? Yes Say good-bye Bye"
    And the output ends should be "The shop is open.Bye28"
    And the output kept should be "The shop is open. Hello"
    And the output left should be 0
]])
