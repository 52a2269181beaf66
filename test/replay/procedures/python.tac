-- Models and tools of a worker in Python: asked, called by an agent and by the procedure, failing, and looked into.
double = Model "double" { type = "python", name = "rate" }
mistaken = Tool { use = "python.mistaken" }
charge = Tool { use = "python.charge" }
look = Tool { use = "python.look", retry = { delay = 0.1 } }

Procedure {
  function(input)
    local stars = double({ text = "tea" }).output.stars
    local many = double.predict_batch({ { text = "a" }, { text = "bb" } })
    local charged = charge { card = "a", cents = 3 }.charged
    local declined, why = pcall(charge, { card = "declined", cents = 3 })
    local again = look { name = "a" }.name
    local wrong, problem = pcall(mistaken, { name = "b" })
    local mood = Classify { method = "naive_bayes", name = "mood", trusted = true }
    local known, unknown = pcall(mood, "fine tea")
    return {
      stars = stars, many = #many, charged = charged, declined = declined, why = tostring(why), again = again,
      wrong = wrong, problem = tostring(problem), known = known, unknown = tostring(unknown),
    }
  end,
}
