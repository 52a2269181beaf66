-- Lua's own functions, as far as a procedure has them. `pcall` catches errors, and waits where somebody is asked.

local Basket = {}
Basket.__index = Basket

function Basket:add(name, price)
  rawset(self.prices, name, assert(tonumber(price), "no price"))
  return self
end

Procedure {
  output = {
    total = field.number {},
    problems = field.array {},
    kinds = field.array {},
    facts = field.array {},
  },
  function()
    local basket = setmetatable({ prices = {} }, Basket)
    basket:add("kettle", "40"):add("lamp", 15)
    local total = 0
    for _, price in pairs(basket.prices) do
      total = total + price
    end
    local _, first = pcall(error, { message = "sold out" })
    local _, second = xpcall(basket.add, function(message)
      return "caught: " .. message
    end, basket, "tea", "?")
    local _, third = xpcall(error, debug.traceback, "lost")
    local kinds = {}
    for i, value in ipairs({ 1, "x", Human, Basket.add }) do
      kinds[i] = type(value)
    end
    local facts = {
      rawequal(basket, basket) and rawget(basket.prices, "lamp") == 15 and rawlen({ 1, 2 }) == 2,
      next({}) == nil and select("#", 1, 2, 3) == 3,
      getmetatable(basket) == Basket and getmetatable("x") == false,
      _G.Human == Human and _VERSION:sub(1, 3) == "Lua",
      collectgarbage("count") == 0,
    }
    local problems = { first.message, second, (tostring(third):match("^[^\n]+")) }
    return { total = total, problems = problems, kinds = kinds, facts = facts }
  end,
}

Specification([[
Feature: Lua
  Scenario: a basket
    When the procedure runs
    Then the output total should be 55
    And the output problems should be ["sold out", "caught: lua.tac:7: no price", "lost"]
    And the output kinds should be ["number", "string", "userdata", "function"]
    And the output facts should be [true, true, true, true, true]
]])
