-- A module: what `require` gives.
local prices = { kettle = 40, lamp = 15 }

function prices.of(name)
  return prices[name] or 0
end

return prices
