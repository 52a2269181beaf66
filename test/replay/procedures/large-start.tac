-- Would continue as new with more than a message can hold, and goes on in one execution.
Procedure {
  input = { text = field.string{required = true} },
  function(input)
    for i = 1, 8 do Sleep(0.01) end
    return #input.text
  end,
}
