-- Timers, answers and child runs that pile up while no worker is there, in another order than that of asking.
guess = Model { type = "mock", value = 2 }

Procedure {
  input = { endpoint = field.string{required = true} },
  function(input)
    local score = Model { type = "http", endpoint = input.endpoint, timeout = 20 }
    return Parallel.map({ 1, 2, 3, 4, 5 }, function(n)
      local said = {}
      for round = 1, 3 do
        Sleep(0.1 + 0.15 * (5 - n))
        local ok = Human.approve{ message = "Nobody but by signal: " .. n .. "." .. round .. "?", timeout = 3600 }
        if n == 2 then said[#said + 1] = Procedure.run("member.tac", { n = round }).twice end
        if n == 4 then said[#said + 1] = score({ n = round }).output.score end
        said[#said + 1] = { ok, guess({ n = n, round = round }).output }
      end
      return said
    end)
  end,
}
