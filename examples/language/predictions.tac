-- Typed questions to a language model. A signature says what it is given and what it gives; a module asks.

LM("openai/gpt-5-mini", { temperature = 0 })

rating = Module {
  signature = "review: str -> stars: int, topics: list[str], mood: Literal['happy', 'angry']",
}
reply = Module "reply" {
  signature = Signature "answer" {
    instructions = "Answer the customer in one sentence.",
    input = {
      review = field.string { description = "What the customer wrote" },
      stars = field.integer { default = 3 },
    },
    output = { reply = field.string { description = "Without a greeting" } },
  },
  strategy = "chain_of_thought",
}
helper = DSPyAgent { system_prompt = "You help with {input.review}." }

local function count(fields)
  local n = 0
  for _ in pairs(fields) do
    n = n + 1
  end
  return n
end

Procedure {
  input = { review = field.string { default = "The kettle leaks." } },
  output = {
    stars = field.integer {},
    topic = field.string {},
    reply = field.string {},
    why = field.string {},
    said = field.integer {},
    shown = field.string {},
    helped = field.string {},
  },
  function(input)
    local rated = rating({ review = input.review })

    -- What was said before goes with the question.
    local before = History()
    before.add({ role = "user", content = "Hello" })
    before.add({ review = "It came late.", reply = "We are sorry that it came late." })
    local answer = reply({ review = input.review, stars = rated.stars, history = before.to_dspy() })
    before.truncate(1)
    local said = #before.get() + before.count_tokens()
    before.clear()

    local lm, signature = get_current_lm(), reply.signature
    local shown = {
      reply.name,
      reply.strategy,
      signature.name,
      signature.instructions,
      count(signature.input_fields),
      count(signature.output_fields),
      count(reply.input_schema),
      count(reply.output_schema),
      lm.model,
      lm.model_type,
      lm.kwargs.temperature,
    }
    return {
      stars = rated.stars,
      topic = rated.topics[1],
      reply = answer.reply,
      why = answer.reasoning,
      said = said,
      shown = join(shown, ", "),
      helped = helper("What now?").output,
    }
  end,
}

Mocks {
  rating = { returns = { stars = 2, topics = { "kettle" }, mood = "angry" } },
  reply = {
    conditional = {
      {
        when = { review = "contains: leaks" },
        returns = { reasoning = "It leaks.", reply = "We send you another." },
      },
    },
  },
  helper = { message = "Send it back." },
}

Specification([[
Feature: Predictions by signatures
  Scenario: a review is rated and answered
    When the procedure runs
    Then the output stars should be 2
    And the output topic should be "kettle"
    And the output why should be "It leaks."
    And the output reply should be "We send you another."
    And the output said should be 7
    And the output shown should be "reply, chain_of_thought, answer, Answer the customer in one sentence., 2, 1, 2, 2, openai/gpt-5-mini, chat, 0"
    And the output helped should be "Send it back."
    And the execution log should contain 2 model_predict entries
]])
