-- A child run that waits, asks or fails, as it is told.
Procedure {
  input = {
    n = field.number{required = true},
    seconds = field.number{default = 0.01},
    asks = field.boolean{default = false},
    nobody = field.boolean{default = false},
    fails = field.boolean{default = false},
  },
  output = { twice = field.number{required = true} },
  function(input)
    Sleep(input.seconds)
    if input.fails then error("no luck with " .. input.n) end
    if input.asks then Human.approve((input.nobody and "Nobody" or "Somebody") .. " is asked?") end
    return { twice = 2 * input.n }
  end,
}
