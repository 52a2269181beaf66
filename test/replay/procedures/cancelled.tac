-- Is cancelled while all of this is open, and catches nothing of it.
Procedure {
  input = { endpoint = field.string{required = true} },
  function(input)
    local score = Model { type = "http", endpoint = input.endpoint .. "/hangs", timeout = 60 }
    local spawned = Procedure.spawn("member.tac", { n = 1, asks = true, nobody = true })
    File.write("cancelled.txt", "begun")
    local ok, problem = pcall(function()
      return Parallel{
        function() return Human.approve{ message = "Nobody answers?", timeout = 3600, default = false } end,
        function() Sleep(3600) end,
        function() return Procedure.run("member.tac", { n = 2, asks = true, nobody = true }) end,
        function() return Procedure.wait(spawned, { timeout = 3000 }) end,
        function() return score({ n = 1 }) end,
        function() return http_client.get(input.endpoint .. "/hangs", { timeout = 60 }).status end,
        function() Procedure.defer{ key = "far", resume_at = "2150-01-01T00:00:00Z", reason = "not yet" } end,
        function() return step("inside", function() Retry.with_backoff(function() Sleep(3600) end) end) end,
      }
    end)
    Sleep(1)
    return "went on: " .. tostring(problem)
  end,
}
