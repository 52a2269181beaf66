Procedure {
  function()
    local names = 0
    while true do
      names = names + 1
      defer("clean up " .. names, function() while true do end end)
    end
  end,
}
