-- What `require` finds: modules that are built in, and files below the folder of this one.

local done = require("tactus.tools.done")
local log = require("tactus.tools.log")
local classify = require("tactus.text.classify")
local extract = require("tactus.text.extract")
local generate = require("tactus.generate")
local file = require("tactus.io.file")
local json = require("tactus.io.json")
local csv = require("tactus.io.csv")
local tsv = require("tactus.io.tsv")
local prices = require("parts.prices")

local by_likeness = classify.FuzzyMatchClassifier:new({ classes = { "kettle", "lamp" } })
local finder = extract.LLMExtractor:new({
  name = "finder",
  fields = { stars = "integer" },
  prompt = "How many stars are given?",
})
local poet = generate.LLMGenerator:new({ name = "poet", system_prompt = "You write mottos." })

Procedure {
  output = {
    price = field.number {},
    stars = field.integer {},
    motto = field.string {},
    rows = field.integer {},
  },
  function()
    log({ message = "The shop opens" })
    local thing = by_likeness("ketle").value
    local stars = finder("Five stars for the kettle").fields.stars
    local folder = "language-examples/"
    csv.write(folder .. "stars.csv", { { thing = thing, stars = stars } })
    tsv.write(
      folder .. "stars.tsv",
      csv.read(folder .. "stars.csv"),
      { headers = { "thing", "stars" } }
    )
    json.write(folder .. "stars.json", tsv.read(folder .. "stars.tsv"))
    local rows = #json.decode(json.encode(json.read(folder .. "stars.json")))
    file.write(folder .. "done.txt", "done")
    if file.exists(folder .. "done.txt") then
      done({ reason = file.read(folder .. "done.txt") })
    end
    local isLoaded = package.loaded["parts.prices"] == prices
    return {
      price = isLoaded and prices.of(thing) or 0,
      stars = stars,
      motto = poet("A motto for kettles").output,
      rows = rows,
    }
  end,
}

Mocks {
  finder = { message = "5", data = { stars = 5 } },
  poet = { message = "Hot, and soon." },
}

Specification([[
Feature: Modules
  Scenario: all are used
    When the procedure runs
    Then the output price should be 40
    And the output stars should be 5
    And the output motto should be "Hot, and soon."
    And the output rows should be 1
    And the done tool should be called with reason="done"
]])
