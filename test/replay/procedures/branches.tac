-- Branches with everything in them, of which one fails and the others are given up.
guess = Model { type = "mock", value = 3 }

Procedure {
  input = { endpoint = field.string{required = true} },
  function(input)
    local score = Model { type = "http", endpoint = input.endpoint, timeout = 20 }
    local function part(n)
      File.write("branches/" .. n .. ".txt", "part " .. n)
      local value = score({ n = n }).output.score + guess({ n = n }).output
      if n == 4 then Sleep(0.3) error("part 4 is broken") end
      Sleep(0.05 * n)
      local answer = http_client.post(input.endpoint, { json = { n = n } })
      if n > 4 then Human.approve("Nobody will, for " .. n .. "?") end
      if n == 2 then Procedure.run("member.tac", { n = n, asks = true, nobody = true }) end
      return value + answer.json.score + #File.read("branches/" .. n .. ".txt")
    end
    local first, problem = pcall(Parallel.map, { 1, 2, 3, 4, 5, 6 }, part)
    local second = Parallel.map({ 1, 3 }, part, { concurrency = 1 })
    local nested = Parallel{
      function()
        return Parallel{
          function() return guess({ n = "a" }).output end,
          function() Sleep(0.1) return Human.input{ message = "Which?" } end,
          function()
            return (pcall(function()
              Parallel{
                function() Sleep(3600) end,
                function() return File.read("branches/none.txt") end,
                function() return score({ n = 12 }).output.score end,
              }
            end))
          end,
        }
      end,
      function() return step("inside", function() return score({ n = 16 }).output.score end) end,
      function() return checkpoint(function() return File.size("branches/1.txt") end) end,
      function() return File.exists("branches/3.txt") end,
    }
    return { first = first, problem = problem, second = second, nested = nested }
  end,
}
