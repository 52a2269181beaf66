-- What a model is sent, message by message, with the conversation where `history()` stands.

shop = Context {
  name = "shop",
  messages = {
    system("You sell kettles."),
    assistant("How can I help?"),
    history(),
    user(template("The customer asks about {topic}.", { topic = "tea" })),
  },
}

-- What is found for the question comes into the prompt: 300 words of it, at most.
search = Retriever { corpus = Corpus { root = "notes" }, retriever_id = "tf-vector" }
manual = Context {
  packs = { search, { name = search, budget = { max_tokens = 300 }, weight = 2, priority = 1 } },
  policy = {
    input_budget = { max_tokens = 2000 },
    pack_budget = { default_ratio = 0.5 },
    overflow = "compact",
    compactor = { type = "truncate" },
    max_iterations = 3,
    expansion = { max_pages = 2, min_fill_ratio = 0.8 },
  },
}
guide = Context {
  messages = { system("Answer by these notes:"), context(search, { ratio = 0.2 }), history() },
}

helper = Agent { context = manual, system_prompt = "Be brief." }
guided = Agent { context = guide, system_prompt = "Be brief." }
seller = Agent { context = shop, system_prompt = "Be brief." }

Procedure {
  output = { answer = field.string {}, names = field.array {} },
  function()
    local answer = seller("Which kettle is best for it?").text
    helper("How long is the warranty?")
    guided("How long is it again?")
    return { answer = answer, names = { shop.name, manual.name } }
  end,
}

Mocks { seller = { message = "The small one." } }

Specification([[
Feature: Contexts
  Scenario: the seller answers
    When the procedure runs
    Then the output answer should be "The small one."
    And the output names should be ["shop", "manual"]
]])
