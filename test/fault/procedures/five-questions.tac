-- Five requests at once, of several kinds, and what follows each answer.
Procedure {
  input = { endpoint = field.string{required = true} },
  function(input)
    local score = Model { type = "http", endpoint = input.endpoint, timeout = 20 }
    local function followed(n, ask)
      return function()
        local answer = ask()
        score({ n = n })
        return answer
      end
    end
    return Parallel {
      followed(1, function() return Human.approve("First?") end),
      followed(2, function() return Human.approve{ message = "Second?", context = { n = 2 } } end),
      followed(3, function() return Human.input("Third?") end),
      followed(4, function() return Human.select{ message = "Fourth?", options = { "a", "b" } } end),
      followed(5, function()
        return Human.approve{ message = "Fifth?", approvers = { "ann", "bob" }, quorum = 2 }
      end),
    }
  end,
}
