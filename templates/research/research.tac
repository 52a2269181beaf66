-- An agent reads a folder of notes to answer a question, and says where each thing stands. A person reads what it wrote, and
-- may send it back.

list_notes = Tool {
  description = "The names of the notes that there are",
  input = {},
  function()
    return File.list("notes")
  end,
}

read_note = Tool {
  description = "The text of a note",
  input = { name = field.string { required = true } },
  function(args)
    return File.read("notes/" .. args.name)
  end,
}

researcher = Agent {
  system_prompt = [[You answer questions from notes. List them, read those that matter, and answer in a short text.
Name the note after each statement, as in (prices.txt). Say so where the notes don't tell.]],
  tools = { list_notes, read_note },
}

Procedure {
  input = {
    question = field.string { default = "What does a kettle cost, and who decides about discounts?" },
  },
  output = {
    report = field.string { required = true },
    rounds = field.integer { required = true },
  },
  function(input)
    local report = researcher(input.question).text
    local rounds = 1
    for _ = 1, 3 do
      local said = Human.review {
        message = "Is this an answer to: " .. input.question,
        artifact = report,
        artifact_type = "markdown",
        options = { "approve", "revise" },
      }
      if said.decision == "approve" then
        report = said.edited_artifact or report
        break
      end
      rounds = rounds + 1
      report = researcher("Write it anew. The reader says: " .. (said.feedback or "nothing")).text
    end
    File.write("report.md", report)
    return { report = report, rounds = rounds }
  end,
}

Mocks {
  researcher = {
    temporal = {
      {
        message = "A kettle costs 40 (prices.txt).",
        tool_calls = { { tool = "read_note", args = { name = "prices.txt" } } },
      },
      { message = "A kettle costs 40 (prices.txt). Grace decides (rules.txt)." },
    },
  },
}

Specification([[
Feature: Research

  Scenario: the answer is taken
    Given the person answers {"decision": "approve"} to "Is this an answer to: What does a kettle cost, and who decides about discounts?"
    When the procedure runs
    Then the read_note tool should be called with name=prices.txt
    And the output report should contain "prices.txt"
    And the output rounds should be 1

  Scenario: it is sent back again and again
    Given the person answers {"decision": "revise", "feedback": "And the discounts?"} to "Is this an answer to: What does a kettle cost, and who decides about discounts?"
    When the procedure runs
    Then the output report should contain "rules.txt"
    And the output rounds should be 4
]])
