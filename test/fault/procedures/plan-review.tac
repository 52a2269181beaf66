-- Scores a plan, and has a person approve it.
Procedure {
  input = { endpoint = field.string{required = true}, text = field.string{required = true} },
  output = { ok = field.boolean{required = true}, text = field.string{required = true} },
  function(input)
    local score = Model { type = "http", endpoint = input.endpoint, timeout = 20 }
    local value = score({ n = #input.text }).output.score
    local ok = Human.approve{ message = "Publish the plan?", context = { score = value } }
    return { ok = ok, text = input.text .. ", scored " .. value }
  end,
}
