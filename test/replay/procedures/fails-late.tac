-- Fails by itself after effects, while branches, a child run and a person are open.
Procedure {
  input = { endpoint = field.string{required = true} },
  function(input)
    local score = Model { type = "http", endpoint = input.endpoint, timeout = 20 }
    local value = score({ n = 4 }).output.score
    File.write("late.txt", tostring(value))
    Human.approve("Go on?")
    state.at = "branches"
    local idle = Procedure.spawn("member.tac", { n = 6, seconds = 3600 })
    Parallel{
      function() return Human.approve("Nobody will?") end,
      function() Sleep(3600) end,
      function() return Procedure.run("member.tac", { n = 1, asks = true, nobody = true }) end,
      function() Sleep(1) local t = nil return t.field end,
    }
  end,
}
