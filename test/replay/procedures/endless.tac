-- Computes without an end, after an effect.
Procedure {
  function()
    Sleep(0.01)
    while true do end
  end,
}
