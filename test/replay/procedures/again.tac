-- Begins again from the top, with its state and session; each pass has whole parts, of which it hands on what they came to.
local seen = Session.slice("seen")
part = Procedure {
  whole = true,
  input = { n = field.number {} },
  function(input)
    for i = 1, 6 do checkpoint(function() return ("x"):rep(200) .. i end) end
    Sleep(0.01)
    state.parts = (state.parts or 0) + 1
    return { n = input.n }
  end,
}
main = Procedure {
  input = { pass = field.number { default = 1 } },
  function(input)
    for n = 1, 4 do part { n = n } end
    step("together", function() for i = 1, 10 do checkpoint(function() return i end) end state.steps = (state.steps or 0) + 1 end, { whole = true })
    seen.append { pass = input.pass }
    if input.pass < 3 then Procedure.continue_as_new { pass = input.pass + 1 } end
    return { parts = state.parts, steps = state.steps, seen = #seen.all(), ok = Human.approve("At the end?") }
  end,
}
