-- Files below the worker's folder, and JSON. Each operation on a file is a checkpoint.

Procedure {
  input = { name = field.string { default = "orders.json" } },
  output = { bytes = field.integer {}, first = field.string {}, same = field.boolean {} },
  function(input)
    local path = "language-examples/" .. input.name
    File.write(path, Json.encode({ { id = "A-7" }, { id = "A-8" } }))
    if not File.exists(path) then
      error("it was not written")
    end
    local text = File.read(path)
    local orders = Json.decode(text)
    return { bytes = File.size(path), first = orders[1].id, same = Json.encode(orders) == text }
  end,
}

Specification([[
Feature: Files
  Scenario: orders are written and read
    When the procedure runs
    Then the output bytes should be 30
    And the output first should be "A-7"
    And the output same should be true
    And the execution log should contain 4 file entries
]])
