-- What was caught, by its code. Errors stay texts: they can be printed, searched and joined.
search = Tool {
  description = "Looks something up",
  input = { q = field.string { required = true } },
  function(args)
    return args.q
  end,
}

Procedure {
  output = {
    missing = field.string { required = true },
    file = field.string { required = true },
    again = field.string { required = true },
    own = field.boolean { required = true },
    text = field.boolean { required = true },
  },
  function()
    local _, missing = pcall(search, {})
    local _, file = pcall(File.read, "none.txt")
    local _, again = pcall(function()
      error(file)
    end)
    local _, own = pcall(error, "while reading: " .. file)
    return {
      missing = Error.code(missing),
      file = Error.code(file),
      again = Error.code(again),
      own = Error.code(own) == nil,
      text = file:find("none.txt", 1, true) ~= nil,
    }
  end,
}

Specification([[
Feature: Codes of errors
  Scenario: they are told apart
    When the procedure runs
    Then the output missing should be "tool_failed"
    And the output file should be "file_failed"
    And the output again should be "file_failed"
    And the output own should be True
    And the output text should be True
]])
