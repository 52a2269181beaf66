-- A child run with child runs.
Procedure {
  input = { n = field.number{required = true} },
  output = { sum = field.number{required = true} },
  function(input)
    local one = Procedure.spawn("member.tac", { n = input.n, asks = true })
    local two = Procedure.run("member.tac", { n = input.n + 1 }).twice
    return { sum = Procedure.wait(one).twice + two }
  end,
}
