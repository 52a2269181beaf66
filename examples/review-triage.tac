-- Reads customer reviews, has a model say what each one is, and asks a person before the worst one is answered.
-- Every review that was classified stays classified: kill this at any time, and `resume` goes on behind it.

-- Small models learn better from examples than from instructions.
local examples = [[
Review: Works great, I love it. (5 stars)
Sentiment: positive
Review: It broke at once. Bad service. (1 stars)
Sentiment: negative
Review: Nice, I would buy it again. (4 stars)
Sentiment: positive
Review: Too late and damaged. (2 stars)
Sentiment: negative
]]

classifier = Agent {
  output = {
    sentiment = field.string{required = true, enum = {"positive", "negative"}},
  },
  temperature = 0,
  max_tokens = 30,
}

-- What a letter says depends on this alone: a model of any size chooses well, and none can spoil the letter.
reader = Agent {
  system_prompt = "You read complaints of customers.",
  output = {
    cause = field.string{required = true, enum = {"a defect", "a delay"}},
  },
  temperature = 0,
}

local clauses = {
  ["a defect"] = "I am sorry for what happened. A new one is on its way to you, and you need not send the old one back.",
  ["a delay"] = "I am sorry that you had to wait. The postage is on us, and so is that of your next order.",
}

-- A tool in Lua: it runs in the procedure, and costs nothing.
ticket = Tool {
  description = "Makes the text of a support ticket",
  input = {
    id = field.string{required = true},
    product = field.string{required = true},
    stars = field.integer{required = true},
  },
  function(args)
    local urgency = args.stars == 1 and "urgent" or "normal"
    return string.format("#%s %s (%s)", args.id, args.product, urgency)
  end,
}

-- One line of CSV: fields may stand in quotes, and a quote within them is doubled.
local function fields_of(line)
  local fields, at = {}, 1
  while at <= #line + 1 do
    local quoted, after = line:match('^"(.-)"()', at)
    while quoted and line:sub(after, after) == '"' do
      local more, later = line:match('^"(.-)"()', after)
      quoted, after = quoted .. '"' .. more, later
    end
    local plain, stop = line:match("^([^,]*)()", at)
    fields[#fields + 1] = quoted or plain
    at = (after or stop) + 1
  end
  return fields
end

local function read_reviews(path)
  local reviews = {}
  for line in File.read(path):gmatch("[^\r\n]+") do
    local id, product, stars, text = table.unpack(fields_of(line))
    if id ~= "id" then
      reviews[#reviews + 1] = {id = id, product = product, stars = tonumber(stars), text = text}
    end
  end
  return reviews
end

local function classify(review)
  -- Each review stands for itself: without this, the agent would be sent all those before it as well.
  classifier.clear_history()
  local question = string.format("%sReview: %s (%d stars)\nSentiment:", examples, review.text, review.stars)
  return classifier({message = question}).output.sentiment
end

local function draft_for(review)
  local cause = reader({message = review.text}).output.cause
  return string.format("Thank you for writing to us about the %s. %s", review.product, clauses[cause])
end

Procedure {
  description = "Sorts customer reviews and drafts an answer to the worst one",
  input = {
    file = field.string{default = "reviews.csv", description = "CSV with id, product, stars, text"},
  },
  output = {
    positive = field.integer{required = true},
    negative = field.integer{required = true},
    ticket = field.string{},
    answer = field.string{},
    sent = field.boolean{required = true},
  },
  function(input)
    local reviews = read_reviews(input.file)
    print(#reviews .. " reviews in " .. input.file)

    local counts, worst = {positive = 0, negative = 0}, nil
    for _, review in ipairs(reviews) do
      local label = classify(review)
      counts[label] = counts[label] + 1
      print(string.format("%-8s  %d stars  %s", label, review.stars, review.product))
      if label == "negative" and (worst == nil or review.stars < worst.stars) then worst = review end
    end

    local result = {positive = counts.positive, negative = counts.negative, sent = false}
    if worst == nil then return result end

    local draft = draft_for(worst)
    result.ticket = ticket({id = worst.id, product = worst.product, stars = worst.stars})
    result.answer = draft
    result.sent = Human.approve({
      message = "Send this answer to review " .. worst.id .. "?",
      context = {review = worst.text, answer = draft},
    })
    return result
  end,
}
