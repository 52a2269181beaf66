Procedure {
  output = { n = field.number{required=true} },
  function(input)
    local r = http_client.get("http://127.0.0.1:8765/x")
    return { n = r.json.n }
  end
}
Specification([[
Feature: x
  Scenario: y
    When the procedure runs
    Then the output n should be 1
]])
