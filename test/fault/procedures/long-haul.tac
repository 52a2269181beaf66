-- Some 2,000 effects: nested loops, branches side by side, and a person who is asked twice on the way.
guess = Model { type = "mock", value = { score = 0.5 } }

tally = Tool {
  description = "Adds to the total",
  input = { n = field.number{required = true} },
  function(args)
    state.total = (state.total or 0) + args.n
    return { total = state.total }
  end,
}

Procedure {
  input = { rounds = field.integer{required = true}, branches = field.integer{required = true} },
  output = {
    total = field.number{required = true},
    answers = field.array{required = true},
    parts = field.array{required = true},
    lengths = field.number{required = true},
    rolled = field.array{required = true},
  },
  function(input)
    local answers, parts, rolled, lengths = {}, {}, {}, 0
    for round = 1, input.rounds do
      for i = 1, 5 do
        for j = 1, 5 do
          local score = guess({ i = i, j = j }).output.score
          tally({ n = score * i * j })
          lengths = lengths + #File.read("notes/" .. j .. ".txt")
        end
        rolled[#rolled + 1] = math.random(1000)
      end
      local items = {}
      for branch = 1, input.branches do items[branch] = branch end
      local scores = Parallel.map(items, function(branch)
        local first = guess({ branch = branch }).output.score
        Sleep(0.01)
        tally({ n = branch })
        return first + guess({ branch = branch, again = true }).output.score + branch
      end)
      parts[round] = 0
      for _, score in ipairs(scores) do parts[round] = parts[round] + score end
      if round == 2 or round == input.rounds - 1 then
        answers[#answers + 1] = Human.approve{ message = "Round " .. round .. " is over. Go on?" }
      end
      print("round", round, state.total)
    end
    return { total = state.total, answers = answers, parts = parts, lengths = lengths, rolled = rolled }
  end,
}
