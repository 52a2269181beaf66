-- Fails with a child run that fails.
Procedure {
  function()
    checkpoint(function() return 1 end)
    return Procedure.run("member.tac", { n = 2, fails = true })
  end,
}
