-- Runs side by side: one computes, one waits for a person, one is cancelled; and a timer of the calendar.
Procedure {
  input = { endpoint = field.string{required = true} },
  output = { sum = field.number{required = true}, ok = field.boolean{required = true} },
  function(input)
    local part = Procedure.spawn("spawned-part.tac", { n = 2 })
    local review = Procedure.spawn("plan-review.tac", { endpoint = input.endpoint, text = "the plan" })
    local idle = Procedure.spawn("spawned-part.tac", { n = 3, seconds = 3600 })
    local first = Procedure.wait_any({ part })
    Procedure.cancel(idle)
    Procedure.defer{ key = "later", resume_at = "2020-01-01T00:00:00Z", reason = "the time has come" }
    local all = Procedure.await_children{ children = { { id = review }, { id = part }, { id = idle } } }
    return { sum = Procedure.wait(first).sum, ok = all.children[1].output.ok }
  end,
}
