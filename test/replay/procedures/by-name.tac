-- Is started by its name: the worker's folder has the source.
Procedure {
  input = { who = field.string{required = true} },
  function(input)
    for i = 1, 5 do Sleep(0.01) end
    return "hello " .. input.who
  end,
}
