-- Races, whose losers are given up, and branches of which some fail.

Procedure {
  function()
    local won = {}
    for i = 1, 3 do
      local _, winner = Parallel.race {
        function()
          Sleep(30)
        end,
        function()
          Event.wait("never")
        end,
        function()
          Sleep(0.01 * i)
          return i
        end,
      }
      won[i] = winner
    end
    local ended = Parallel.all_settled({
      function()
        Sleep(0.01)
        error("no luck")
      end,
      function()
        Sleep(0.01)
        return 1
      end,
    }, { concurrency = 1 })
    return { won = won, first = ended[1].status, second = ended[2].value }
  end,
}
