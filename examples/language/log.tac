-- Lines that whoever follows the run sees, each once.

Procedure {
  output = { answered = field.boolean {}, echo = field.string {} },
  function()
    print("An order came in")
    Log.debug("Looking it up", { order = "A-7" })
    Log.info("Found")
    Log.warn("It is late")
    Log.warning("It is very late")
    Log.error("It is lost")
    System.alert { message = "An order is lost", level = "critical", source = "shop" }
    local answer = Host.call("host.ping", { order = "A-7" })
    return { answered = answer.ok, echo = Host.call("host.echo", { order = "A-7" }).echo.order }
  end,
}

Specification([[
Feature: Lines
  Scenario: an order is lost
    When the procedure runs
    Then the output answered should be true
    And the output echo should be "A-7"
]])
