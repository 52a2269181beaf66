-- Questions that are answered in bursts: too early, twice, wrongly, many at once.
Procedure {
  function()
    local asks = {}
    for i = 1, 6 do
      asks[i] = function()
        local first = Human.approve{ message = "Number " .. i .. "?", timeout = 3600 }
        if i % 2 == 0 then File.exists("burst-" .. i) end
        Sleep(0.01 * i)
        return { first, Human.input{ message = "Why " .. i .. "?" } }
      end
    end
    local answers = Parallel(asks)
    local rounds = {}
    for i = 1, 4 do
      checkpoint(function() return i end)
      rounds[i] = Human.approve("Round " .. i .. "?")
    end
    return { answers = answers, rounds = rounds }
  end,
}
