-- Reads notes out of a CSV file, has a model find what matters in each, and writes it down as JSON.

local csv = require("tactus.io.csv")
local json = require("tactus.io.json")
local extract = require("tactus.text.extract")
local generate = require("tactus.generate")

local reader = extract.LLMExtractor:new{
  name = "reader",
  fields = {product = "string", stars = "integer"},
  prompt = "Find the product and the number of stars in a review.",
}

local headline = generate.LLMGenerator:new{name = "headline", instructions = "Write a headline of five words."}

Procedure {
  input = {
    from = field.string{default = "reviews.csv"},
    to = field.string{default = "notes.json"},
  },
  output = {
    notes = field.integer{required = true},
    headline = field.string{required = true},
  },
  function(input)
    local notes = {}
    for i, review in ipairs(csv.read(input.from)) do
      if i > 2 then break end
      notes[i] = reader(review.product .. ", " .. review.stars .. " stars: " .. review.text).fields
    end
    json.write(input.to, notes)
    return {notes = #notes, headline = headline("Notes: " .. json.encode(notes)).output}
  end,
}
