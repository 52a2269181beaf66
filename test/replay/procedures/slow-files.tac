-- Files that take longer than a workflow task may, beside questions, timers and child runs.
Procedure {
  function()
    local one = Parallel{
      function()
        local go = Human.approve{ message = "While a file is read?", timeout = 600 }
        Sleep(0.1)
        return go
      end,
      function() local found = File.exists("slow/1.txt") Sleep(0.1) return found end,
      function() Sleep(0.5) return Human.input{ message = "And then?" } end,
    }
    local child = Procedure.spawn("member.tac", { n = 1, seconds = 0.3 })
    local two = Parallel{
      function() return Procedure.wait(child).twice end,
      function() for i = 1, 12 do File.exists("rather-slow/" .. i .. ".txt") end return "looked" end,
      function() Sleep(0.2) return Procedure.run("member.tac", { n = 2 }).twice end,
    }
    local three = pcall(function()
      Parallel{
        function() return Human.approve{ message = "Nobody is quick?", timeout = 600 } end,
        function() return Procedure.run("member.tac", { n = 3, asks = true, nobody = true }) end,
        function() Sleep(0.4) end,
        function() File.read("slow/2.txt") end,
      }
    end)
    Sleep(0.1)
    return { one = one, two = two, three = three }
  end,
}
