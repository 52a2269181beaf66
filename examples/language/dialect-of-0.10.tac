-- The dialect of 0.10: names first, lower case, agents as globals with a capital.

tool("price_of", {
  description = "The price of a thing",
  parameters = { name = { type = "string", required = true } },
}, function(args)
  return { price = #args.name * 5 }
end)

toolset("shop", { tools = { "price_of" } })
model("mood", { type = "mock", value = "calm" })

async(true)
hitl("discount", { type = "approval", message = "A discount?" })

agent("seller", {
  provider = "openai",
  system_prompt = prompt("selling", "You sell kettles. The stage is {state.stage}."),
  toolsets = { "shop", "done" },
})

main = procedure("main", {
  outputs = {
    answer = { type = "string" },
    mood = { type = "string" },
    discount = { type = "boolean" },
  },
  state = { stage = { type = "string", default = "selling" } },
}, function()
  repeat
    Seller.turn({ inject = "How much is a kettle?" })
  until Tool.called("done") or Iterations.exceeded(10)
  return {
    answer = Tool.last_result("done").reason,
    mood = Model("mood")("So so"),
    discount = Human.approve { config_key = "discount" },
  }
end)

mocks {
  seller = {
    message = "30",
    tool_calls = { { tool = "done", args = { reason = "It costs 30." } } },
  },
}

specifications([[
Feature: Selling
  Scenario: the seller says the price
    When the procedure runs
    Then the output answer should be "It costs 30."
    And the output mood should be "calm"
    And the output discount should be true
    And the done tool should be called
]])
