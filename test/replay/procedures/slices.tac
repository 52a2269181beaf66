-- A computation of some 80 million instructions, with effects on its way.
guess = Model { type = "mock", value = 2 }

local function count(rounds)
  local sum = 0
  for i = 1, rounds do sum = sum + i % 7 end
  return sum
end

Procedure {
  function()
    local total = 0
    for part = 1, 3 do
      total = total + count(5000000) + guess({ part = part }).output
      File.write("slices/" .. part .. ".txt", tostring(total))
      Sleep(0.01)
    end
    return { total = total, read = #File.read("slices/3.txt") }
  end,
}
