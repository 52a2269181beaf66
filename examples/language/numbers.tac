-- Numbers: a triangle, a dice, rounding. Integers are exact to 2^53 - 1; chance is the run's own.

local function about(a, b)
  return math.abs(a - b) < 1e-9
end

Procedure {
  input = { a = field.number { default = 3 }, b = field.number { default = 4 } },
  output = {
    side = field.number {},
    degrees = field.integer {},
    checks = field.array {},
    dice = field.boolean {},
  },
  function(input)
    local side = math.sqrt(math.pow(input.a, 2) + input.b ^ 2)
    local angle = math.asin(input.a / side)
    local checks = {
      about(angle, math.acos(input.b / side)),
      about(angle, math.atan(input.a, input.b)),
      about(angle, math.atan2(input.a, input.b)),
      about(math.sin(angle) / math.cos(angle), math.tan(angle)),
      about(math.sinh(1) / math.cosh(1), math.tanh(1)),
      about(math.log(8, 2), 3) and about(math.log10(1000), 3) and about(math.exp(0), 1),
      about(math.rad(180), math.pi) and math.deg(math.pi) == 180,
      math.fmod(7, 3) == 1 and select(2, math.modf(2.5)) == 0.5,
      math.type(1) == "integer" and math.tointeger(2.0) == 2,
      math.maxinteger < math.huge and math.mininteger == -math.maxinteger,
      math.ult(1, -1),
      math.frexp(8) == 0.5 and math.ldexp(0.5, 4) == 8,
    }
    local dice = checkpoint(function()
      math.randomseed(7)
      return math.random(1, 6)
    end)
    return {
      side = side,
      degrees = math.floor(math.deg(angle)),
      checks = checks,
      dice = math.min(dice, 1) == 1 and math.max(dice, 6) == 6 and math.ceil(0.5) == 1,
    }
  end,
}

Step("all checks should hold", function(context)
  for i, holds in ipairs(context.output.checks) do
    assert(holds, "check " .. i .. " doesn't hold")
  end
end)

Specification([[
Feature: Numbers
  Scenario: a triangle
    When the procedure runs
    Then the output side should be 5
    And the output degrees should be 36
    And the output dice should be true
    And all checks should hold
]])
