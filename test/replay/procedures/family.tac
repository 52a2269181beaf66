-- Child runs of every kind: waited for, side by side, failing, cancelled, in branches, of others.
Procedure {
  input = { elsewhere = field.string{required = true} },
  function(input)
    local seen = {}
    seen.first = Procedure.run("member.tac", { n = 1 }).twice
    seen.failed = { pcall(Procedure.run, "member.tac", { n = 2, fails = true }) }
    seen.nested = Procedure.run("elder.tac", { n = 3 }).sum

    local quick = Procedure.spawn("member.tac", { n = 4, seconds = 0.3 })
    local asks = Procedure.spawn("member.tac", { n = 5, asks = true })
    local idle = Procedure.spawn("member.tac", { n = 6, seconds = 3600 })
    local fails = Procedure.spawn("member.tac", { n = 7, fails = true })
    seen.status = Procedure.status(quick).status
    seen.first_of = Procedure.wait_any({ quick, idle }) == quick
    seen.late = { pcall(Procedure.wait, idle, { timeout = 1 }) }
    seen.quick = Procedure.wait(quick).twice
    seen.failing = { pcall(Procedure.wait, fails) }
    seen.again = { pcall(Procedure.wait, fails) }
    Procedure.cancel(idle)
    seen.cancelled = { Procedure.is_complete(idle), Procedure.status(idle).status }
    seen.asks = Procedure.wait(asks).twice

    local more = {}
    for n = 1, 3 do more[n] = Procedure.spawn("member.tac", { n = n, seconds = 0.1 * n }) end
    seen.all = {}
    for i, each in ipairs(Procedure.wait_all(more)) do seen.all[i] = each.twice end
    seen.complete = Procedure.all_complete(more)

    local mine = Procedure.spawn("member.tac", { n = 8, seconds = 1 })
    seen.any = Procedure.await_children{ mode = "any", children = { { id = mine }, { id = input.elsewhere } } }.complete
    local both = Procedure.await_children{ children = { { id = mine }, { id = input.elsewhere } } }
    seen.both = { both.children[1].output.twice, both.children[2].status }

    local given_up = Procedure.spawn("member.tac", { n = 9, asks = true, nobody = true })
    seen.branches = Parallel{
      function() return (pcall(Procedure.wait, given_up)) end,
      function() return Procedure.run("member.tac", { n = 10 }).twice end,
      function() Sleep(0.2) Procedure.cancel(given_up) return "cancelled" end,
      function()
        return (pcall(function()
          return Parallel{
            function() return Procedure.run("member.tac", { n = 11, asks = true, nobody = true }) end,
            function() Sleep(0.8) error("enough") end,
          }
        end))
      end,
    }
    Procedure.defer{ key = "later", resume_at = "2020-01-01T00:00:00Z", reason = "it is time" }
    Procedure.spawn("member.tac", { n = 12, seconds = 3600 })
    return seen
  end,
}
