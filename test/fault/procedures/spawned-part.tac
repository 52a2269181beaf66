Procedure {
  input = { n = field.number{required = true}, seconds = field.number{default = 0.2} },
  output = { sum = field.number{required = true} },
  function(input)
    Sleep(input.seconds)
    return { sum = input.n + 1 }
  end,
}
