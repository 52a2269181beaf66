-- Files below the worker's folder, and JSON. Each operation on a file is a checkpoint.

Procedure {
  input = { name = field.string { default = "orders.json" } },
  output = {
    bytes = field.integer {},
    first = field.string {},
    same = field.boolean {},
    names = field.array {},
    lines = field.integer {},
  },
  function(input)
    local path = "language-examples/" .. input.name
    File.write(path, Json.encode({ { id = "A-7" }, { id = "A-8" } }))
    if not File.exists(path) then
      error("it was not written")
    end
    local text = File.read(path)
    local orders = Json.decode(text)
    local diary = "language-examples/diary.txt"
    File.delete(diary)
    File.append(diary, "one\n")
    File.append(diary, "two\n")
    local names = File.list("language-examples")
    local _, lines = File.read(diary):gsub("\n", "")
    return {
      bytes = File.size(path),
      first = orders[1].id,
      same = Json.encode(orders) == text,
      names = names,
      lines = lines,
    }
  end,
}

Specification([[
Feature: Files
  Scenario: orders are written and read
    When the procedure runs
    Then the output bytes should be 30
    And the output first should be "A-7"
    And the output same should be true
    And the output names should be ["diary.txt", "orders.json"]
    And the output lines should be 2
    And the execution log should contain 9 file entries
]])
