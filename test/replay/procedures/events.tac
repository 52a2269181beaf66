-- Events that come early, late, in bursts, for several waits at once, and while the run continues as new.

Procedure {
  function()
    local taken = {}
    local none, why = Event.wait("never", { timeout = 1 })
    taken[1] = none or why
    local both = Parallel {
      function()
        return Event.wait("paid", { match = { order = "A" } }).n
      end,
      function()
        return Event.wait("paid", { timeout = "1h" }).n
      end,
    }
    for i = 1, 6 do
      taken[#taken + 1] = Event.wait("n")
      if i % 2 == 0 then
        File.exists("somewhere.txt")
      end
    end
    return { both = both, taken = taken }
  end,
}
