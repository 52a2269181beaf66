-- Continues as new again and again, with questions, timers, times to answer and child runs open.
guess = Model { type = "mock", value = 1 }

Procedure {
  input = { endpoint = field.string{required = true}, rounds = field.integer{default = 30} },
  function(input)
    local score = Model { type = "http", endpoint = input.endpoint, timeout = 20 }
    local told = Procedure.spawn("member.tac", { n = 1 })
    local open = Procedure.spawn("member.tac", { n = 2, asks = true })
    local gone = Procedure.spawn("member.tac", { n = 3, seconds = 3600 })
    local quiet = Procedure.spawn("member.tac", { n = 5, seconds = 3600 })
    local first = Procedure.wait(told).twice
    local branches = Parallel{
      function() return Human.input{ message = "At the end of it all?" } end,
      function() return Human.approve{ message = "Nobody answers in time?", timeout = 3, default = false } end,
      function() Sleep(4) return "slept" end,
      function() return Procedure.run("member.tac", { n = 4, seconds = 13 }).twice end,
      function() return (pcall(Procedure.wait, gone)) end,
      function() return (pcall(Procedure.wait, quiet, { timeout = 2 })) end,
      function()
        local sum = 0
        for i = 1, input.rounds do
          sum = sum + guess({ i = i }).output
          Sleep(0.1)
          if i % 6 == 0 then sum = sum + score({ n = i }).output.score end
          if i % 8 == 0 then sum = sum + (Procedure.is_complete(quiet) and 100 or 0) end
        end
        return sum
      end,
      function()
        Procedure.defer{ key = "soon", resume_at = "2020-01-01T00:00:00Z", reason = "it is time" }
        return Human.approve{ message = "Is it time?", timeout = 3600 }
      end,
    }
    local stood = Procedure.status(quiet).status
    Procedure.cancel(quiet)
    return {
      first = first,
      again = Procedure.wait(told).twice,
      open = Procedure.wait(open).twice,
      branches = branches,
      stood = stood,
      gone = Procedure.status(gone).status,
    }
  end,
}
