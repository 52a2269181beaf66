-- What others send to a run: `tactus-temporal send RUN paid '{"order": "A-7", "amount": 40}'`.

Mocks {
  paid = {
    conditional = { { when = { order = "A-7" }, returns = { order = "A-7", amount = 40 } } },
  },
}

Procedure {
  output = { amount = field.number {}, refunded = field.string {} },
  function()
    local payment = Event.wait("paid", {
      match = { order = "A-7" },
      schema = {
        order = field.string { required = true },
        amount = field.number { required = true },
      },
    })
    local refund, why = Event.wait("refunded", { timeout = "3d" })
    return { amount = payment.amount, refunded = refund or why }
  end,
}

Specification([[
Feature: Events
  Scenario: a payment, and no refund within three days
    When the procedure runs
    Then the output amount should be 40
    And the output refunded should be "timed_out"
]])
