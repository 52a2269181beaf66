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

-- There are no retrievers yet: who is given this fails, so nobody is.
manual = Context { messages = { context("manual") } }

seller = Agent { context = shop, system_prompt = "Be brief." }

Procedure {
  output = { answer = field.string {}, names = field.array {} },
  function()
    local answer = seller("Which kettle is best for it?").text
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
