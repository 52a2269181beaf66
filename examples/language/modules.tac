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
local parquet = require("tactus.io.parquet")
local excel = require("tactus.io.excel")
local hdf5 = require("tactus.io.hdf5")
local models = require("tactus.models")
local prices = require("parts.prices")

-- Models by functions: these aren't asked here, for nobody has them.
models.NaiveBayesModel({ name = "mood", version = "champion" })
models.HFSequenceClassifierModel({ name = "tone", model = "folders/tone" })
local motto_model = models.LLMModel({ name = "motto", prompt = "You write mottos." })

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
    parquet.write(folder .. "stars.parquet", csv.read(folder .. "stars.csv"))
    excel.write(
      folder .. "stars.xlsx",
      parquet.read(folder .. "stars.parquet"),
      { sheet = "Stars" }
    )
    local sheets = excel.sheets(folder .. "stars.xlsx")
    rows = rows + #excel.read(folder .. "stars.xlsx", { sheet = sheets[1] }) - 1
    hdf5.write(folder .. "stars.h5", "stars", { stars })
    stars = hdf5.read(folder .. "stars.h5", hdf5.list(folder .. "stars.h5")[1])[1]
    local isLoaded = package.loaded["parts.prices"] == prices
    return {
      price = isLoaded and prices.of(thing) or 0,
      stars = stars,
      motto = motto_model({ text = poet("A motto for kettles").output }).output.response,
      rows = rows,
    }
  end,
}

Mocks {
  finder = { message = "5", data = { stars = 5 } },
  poet = { message = "Hot, and sun." },
  motto = { returns = { response = "Hot, and soon." } },
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
