-- Requests over HTTP. What was answered is recorded, and not sent again when the run goes on elsewhere.

Procedure {
  input = { id = field.string { default = "A-7" } },
  output = {
    total = field.number {},
    paid = field.boolean {},
    notes = field.integer {},
    tried = field.string {},
  },
  dependencies = {
    -- `SHOP_TOKEN` is a variable of the worker. Its value never reaches a log.
    shop = {
      type = "http_client",
      base_url = "https://shop.example/v1",
      headers = { authorization = { secret = "SHOP_TOKEN", prefix = "Bearer " } },
      timeout = 10,
    },
  },
  function(input)
    local order = dependencies.shop.get("/orders/" .. input.id, { params = { full = true } })
    if not order.ok then
      error("there is no order " .. input.id .. ": " .. order.status)
    end
    local bank = http_client { base_url = "https://bank.example" }
    local payment = bank.post("payments", { json = { amount = order.json.total } })

    local notes = "https://notes.example/" .. input.id
    http_client.put(notes, { body = "paid" })
    http_client.patch(notes, { json = { seen = true } })
    http_client.post(notes, { json = { by = "nobody" } })
    local kept = #http_client.get(notes).json
    http_client.delete(notes)

    local ok, problem = pcall(http_client.request, "HEAD", "https://down.example")
    return {
      total = order.json.total,
      paid = payment.status == 201 and payment.headers["x-paid"] == "yes",
      notes = kept,
      tried = ok and "there" or problem,
    }
  end,
}

Mocks {
  shop = { returns = { status = 200, json = { total = 40 } } },
  http_client = {
    conditional = {
      {
        when = { url = "contains: bank.example" },
        returns = { status = 201, headers = { ["X-Paid"] = "yes" } },
      },
      { when = { url = "contains: notes.example", method = "GET" }, returns = { "one", "two" } },
      { when = { url = "contains: notes.example" }, returns = { status = 204 } },
    },
  },
}

Specification([[
Feature: Requests
  Scenario: an order is paid for
    When the procedure runs
    Then the output total should be 40
    And the output paid should be true
    And the output notes should be 2
    And the output tried should contain "write Mocks"
    And the execution log should contain 7 http entries
]])
