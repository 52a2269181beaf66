-- Toolsets: tools under one name, some of another's, several as one.

add = Tool {
  description = "Adds",
  input = { a = field.number { required = true }, b = field.number { required = true } },
  function(args)
    return args.a + args.b
  end,
}
double = Tool {
  description = "Doubles",
  input = { a = field.number {} },
  function(args)
    return args.a * 2
  end,
}

Toolset "sums" { tools = { add, double } }
all = Toolset.combine(Toolset.get("sums"), require("tactus.tools.done"))
safe = Toolset.filter(all, function(name)
  return name ~= "double"
end)

clerk = Agent { system_prompt = "You reckon.", tools = { safe } }

Procedure {
  output = { said = field.string {}, sum = field.number {} },
  function()
    local said = clerk("What is 2 and 3?").text
    return { said = said, sum = Tool("add")({ a = 2, b = 3 }) }
  end,
}

Mocks { clerk = { message = "5", tool_calls = { { tool = "add", args = { a = 2, b = 3 } } } } }

Specification([[
Feature: Reckoning
  Scenario: the clerk reckons
    When the procedure runs
    Then the output said should be "5"
    And the output sum should be 5
    And the add tool should be called at least 2 times
]])
