-- Files, and another procedure as a run of its own, which waits for a person.
Procedure {
  input = { endpoint = field.string{required = true}, folder = field.string{required = true} },
  output = { published = field.boolean{required = true}, text = field.string{required = true} },
  function(input)
    local file = input.folder .. "/plan.txt"
    File.write(file, "the plan")
    local review = Procedure.run("plan-review.tac", { endpoint = input.endpoint, text = "the plan" })
    if review.ok then File.write(file, review.text) end
    return { published = review.ok, text = review.text }
  end,
}
