Procedure {
  function()
    return Saga("all of it", function(saga)
      for n = 1, 1e9 do saga.add_compensation("undo " .. n, function() error("no") end) end
    end)
  end,
}
