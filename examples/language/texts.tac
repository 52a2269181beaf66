-- Texts. `len`, `sub` and `reverse` count characters; `#text`, `find`, `byte` and patterns count bytes.

Procedure {
  input = { text = field.string { default = "Café, café!" } },
  output = {
    letters = field.integer {},
    bytes = field.integer {},
    words = field.array {},
    made = field.object {},
  },
  function(input)
    local text = input.text
    local words = {}
    for word in string.gmatch(string.lower(text), "[^%s%p]+") do
      words[#words + 1] = word
    end
    local made = {
      first = string.sub(text, 1, 4),
      back = string.reverse("é1"),
      loud = string.upper("tea"),
      line = string.rep("-", 3, " "),
      price = string.format("%.2f", 2.5),
      at = string.find(text, ",", 1, true),
      swapped = string.gsub("tea time", "t", "T", 1),
      name = string.match("id=A-7", "id=(%S+)"),
      letter = string.char(string.byte("A") + 1),
      packed = string.unpack("<i2", string.pack("<i2", 7)) + string.packsize("<i2"),
      list = join(split("ale,tea", ","), " and "),
      pieces = join(split("a cup of tea", 8), "|"),
    }
    return { letters = string.len(text), bytes = #text, words = words, made = made }
  end,
}

Step("it should have made (\\w+) of it: (.+)", function(context, name, wanted)
  local made = tostring(context.output.made[name])
  assert(made == wanted, name .. " is " .. made)
end)

Specification([[
Feature: Texts
  Scenario: a text is taken apart
    When the procedure runs
    Then the output letters should be 11
    And the output bytes should be 13
    And the output words should be ["café", "café"]
    And it should have made first of it: Café
    And it should have made back of it: 1é
    And it should have made price of it: 2.50
    And it should have made swapped of it: Tea time
    And it should have made packed of it: 9
    And it should have made list of it: ale and tea
    And it should have made pieces of it: a cup of| tea
]])
