-- Reads all documents of a folder side by side, ten at a time, and writes what was found into one file.
-- A document that can't be read by the model fails alone; those that were read are never paid for again.

-- Each document stands for itself: nothing that was said of one is sent with another.
reader = Agent {
  system_prompt = "You read letters of customers. Say what it is about, and how urgent it is.",
  output = {
    topic = field.string { required = true },
    urgency = field.string { required = true, enum = { "low", "high" } },
  },
  message_history = { mode = "isolated" },
  retries = 2,
}

Procedure {
  input = {
    folder = field.string { default = "documents" },
    at_once = field.integer { default = 10 },
  },
  output = {
    read = field.integer { required = true },
    urgent = field.integer { required = true },
    failed = field.array { required = true },
  },
  function(input)
    local names = File.list(input.folder)
    local found = Parallel.map(names, function(name)
      local text = File.read(input.folder .. "/" .. name)
      local ok, result = pcall(reader, text)
      if not ok then
        Log.warn("not read", { name = name, problem = tostring(result) })
        return { name = name, failed = true }
      end
      return { name = name, topic = result.output.topic, urgency = result.output.urgency }
    end, { concurrency = input.at_once })

    local urgent, failed = 0, {}
    for _, each in ipairs(found) do
      if each.failed then
        failed[#failed + 1] = each.name
      elseif each.urgency == "high" then
        urgent = urgent + 1
      end
    end
    File.write("found.json", Json.encode(found))
    return { read = #names - #failed, urgent = urgent, failed = failed }
  end,
}

Mocks {
  reader = { data = { topic = "a broken kettle", urgency = "high" } },
}

Specification([[
Feature: A batch of documents

  Scenario: all are read
    When the procedure runs
    Then the output read should be 3
    And the output urgent should be 3
    And the output failed should be []
    And the execution log should contain 3 agent_turn entries
]])
