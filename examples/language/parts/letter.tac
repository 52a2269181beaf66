-- A procedure of its own, which others start: it writes one line to somebody.

Procedure {
  description = "Writes one line to somebody",
  input = { name = field.string { required = true }, wait = field.string { default = "1s" } },
  output = { line = field.string { required = true } },
  function(input)
    Sleep(input.wait)
    return { line = "Dear " .. input.name }
  end,
}
