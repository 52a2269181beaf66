-- Lua's tables, and texts as characters of UTF-8.

Procedure {
  output = { names = field.string {}, rest = field.array {}, facts = field.array {} },
  function()
    local names = table.pack("Cleo", "Ada", "Bo")
    table.insert(names, 1, "Émile")
    table.sort(names, function(a, b)
      return utf8.len(a) < utf8.len(b)
    end)
    local last = table.remove(names)
    local rest = table.move(names, 2, #names, 1, {})
    local codes = table.create(2)
    for _, code in utf8.codes("né") do
      codes[#codes + 1] = utf8.char(code)
    end
    local facts = {
      last == "Émile" and select("#", table.unpack(names)) == 3,
      codes[2] == "é" and utf8.codepoint("é") == 233,
      utf8.offset("né!", 3) == 4 and ("é!"):match(utf8.charpattern) == "é",
    }
    return { names = table.concat(names, ", "), rest = rest, facts = facts }
  end,
}

Specification([[
Feature: Tables
  Scenario: names
    When the procedure runs
    Then the output names should be "Bo, Ada, Cleo"
    And the output rest should be ["Ada", "Cleo"]
    And the output facts should be [true, true, true]
]])
