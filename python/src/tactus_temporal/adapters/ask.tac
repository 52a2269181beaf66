-- Asks one question for a procedure that runs elsewhere. The answer stands in the log, with who gave it.
local ask = {
  approval = Human.approve,
  input = Human.input,
  select = Human.select,
  review = Human.review,
  upload = Human.upload,
  inputs = Human.multiple,
  escalation = Human.escalate,
  custom = Human.custom,
}

Procedure {
  input = {
    kind = field.string { required = true },
    request = field.object { required = true },
  },
  function(input)
    return ask[input.kind](input.request)
  end,
}
