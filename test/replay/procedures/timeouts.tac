-- Questions whose time is over, alone and beside others that are answered.
Procedure {
  function()
    local alone = Human.input{ message = "Nobody is there?", timeout = 1, default = "nobody" }
    local branches = Parallel{
      function() return Human.approve{ message = "Nobody approves?", timeout = 1, default = false } end,
      function() return Human.approve{ message = "Somebody approves?", timeout = 3600, default = false } end,
      function() return Human.select{ message = "Nobody selects?", options = { "eu", "us" }, timeout = 2, default = "us" } end,
      function()
        local first = Human.input{ message = "Nobody says a word?", timeout = 1, default = "silence" }
        return first .. Human.input{ message = "Then somebody?", timeout = 3600 }
      end,
      function() for i = 1, 5 do File.exists("timeouts-" .. i) Sleep(0.3) end return "slept" end,
    }
    local several = Human.multiple{
      timeout = 1,
      items = { { id = "a", label = "Nobody?" }, { id = "b", label = "B", type = "approval", default = true } },
      message = "Nobody fills it in?",
    }
    return { alone = alone, branches = branches, several = several }
  end,
}
