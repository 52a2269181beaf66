-- Many short slices beside branches that wait, until the run continues as new in the middle of them.
guess = Model { type = "mock", value = 1 }

Procedure {
  input = { endpoint = field.string{required = true} },
  function(input)
    local score = Model { type = "http", endpoint = input.endpoint, timeout = 20 }
    local function compute(rounds)
      local sum = 0
      for i = 1, rounds do sum = sum + i % 3 end
      return sum
    end
    return Parallel{
      function()
        local total = 0
        for i = 1, 4 do total = total + compute(6000) + guess({ i = i }).output Sleep(0.01) end
        return total
      end,
      function()
        local first = Human.input{ message = "While it computes?" }
        return first .. compute(2000) .. Human.input{ message = "And again?" }
      end,
      function()
        local total = 0
        for i = 1, 3 do total = total + score({ n = i }).output.score + compute(1000) end
        return total
      end,
      function() return Human.approve{ message = "Nobody sees it?", timeout = 1, default = false } end,
    }
  end,
}
