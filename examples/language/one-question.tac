-- One question, without a declared agent and without a conversation.

Procedure {
  input = { word = field.string { default = "kettle" } },
  output = { french = field.string {}, german = field.string {} },
  function(input)
    local french =
      Agent.run { prompt = "French for " .. input.word .. "?", model = "openai/gpt-5-mini" }
    local german =
      agent.run { prompt = "German for " .. input.word .. "?", system_prompt = "One word" }
    return { french = french.text, german = german.text }
  end,
}

Specification([[
Feature: Translation
  Scenario: two words
    Given the agent "agent" responds with "bouilloire"
    And the agent "agent" responds with "Kessel"
    When the procedure runs
    Then the output french should be "bouilloire"
    And the output german should be "Kessel"
]])
