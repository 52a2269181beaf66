-- A graph that answers a customer: two look-ups side by side, a person where money goes back, and a message that is sent once.

Mocks {
  clerk = { message = "Your parcel is on its way." },
}

clerk = Agent {
  model = "openai/gpt-5-mini",
  system_prompt = "You answer customers of a shop in one sentence.",
}

-- A tool of the shop would ask its database.
local function orderOf(text)
  return text:match("[A-Z]%-%d+") or "unknown"
end

main = Graph {
  description = "Answers the messages of a customer",
  channels = {
    messages = Graph.append,
    facts = Graph.bounded(2),
    reply = Graph.last,
    refunded = function(current, update)
      return (current or 0) + update
    end,
  },
  entrypoint = "read",
  nodes = {
    read = function()
      return { next = { "order", "policy" } }
    end,
    -- These two run side by side, each on the state that `read` left.
    order = function(state)
      local order = orderOf(state.messages[#state.messages])
      return {
        writes = { facts = { "order " .. order } },
        ledger = { { topic = "looked-up", key = order } },
        next = "answer",
      }
    end,
    policy = function()
      return { writes = { facts = { "refunds up to 50 EUR" } }, next = "answer" }
    end,
    -- Both have named it, and it runs once.
    answer = function(state)
      local text = state.messages[#state.messages]
      if text:find("refund") then
        return { next = "refund" }
      end
      local reply = clerk(join(state.facts, ", ") .. "\n" .. text).text
      return { writes = { reply = reply }, next = "send" }
    end,
    refund = function(state, context)
      local said = Graph.interrupt(
        "refund it?",
        { customer = context.customer, facts = state.facts },
        {
          timeout = "2d",
          default = { amount = 0 },
        }
      )
      if said.amount == 0 then
        return { writes = { reply = "We can't refund it." }, next = "send" }
      end
      return {
        writes = { reply = "You get " .. said.amount .. " EUR back.", refunded = said.amount },
        ledger = {
          {
            topic = "refund",
            key = orderOf(state.messages[#state.messages]),
            data = { amount = said.amount },
          },
        },
        next = "send",
      }
    end,
    -- Sent when the super-step is recorded, with the same key at every attempt.
    send = function(state, context)
      return {
        intents = {
          { type = "send_text", to = context.customer, payload = { text = state.reply } },
        },
      }
    end,
  },
}

Specification([[
Feature: Support
  Scenario: a question is answered
    Given the input messages is ["Where is A-7?"]
    When the procedure runs
    Then the output reply should be "Your parcel is on its way."
    And the output facts should be ["order A-7", "refunds up to 50 EUR"]
  Scenario: a person says how much goes back
    Given the input messages is ["A-7 is broken, I want a refund"]
    And the person answers {"amount": 40} to "refund it?"
    When the procedure runs
    Then the output reply should be "You get 40 EUR back."
    And the output refunded should be 40
  Scenario: nobody says so
    Given the input messages is ["A-7 is broken, I want a refund"]
    And nobody answers "refund it?"
    When the procedure runs
    Then the output reply should be "We can't refund it."
]])
