-- Tools that the provider of a model runs itself while the model answers. They are in no log as calls: only in what is sent.

search = Tool {
  provider = "openai.web_search",
  args = { search_context_size = "low", filters = { allowed_domains = { "tea.example" } } },
}

reader = Agent {
  model = "openai/gpt-5-mini",
  model_type = "responses",
  system_prompt = "You answer with what you find.",
  tools = { search },
}

Procedure {
  output = {
    text = field.string {},
    pages = field.array {},
    searches = field.integer {},
  },
  function()
    local found = reader("What is new about tea?")
    local pages = {}
    -- Left out where nothing was looked up, as by a mock.
    for _, page in ipairs(found.sources or {}) do
      table.insert(pages, page.title or page.url)
    end
    return { text = found.text, pages = pages, searches = #(found.provider_calls or {}) }
  end,
}

Mocks { reader = { message = "Tea is still hot." } }

Specification([[
Feature: Looking up
  Scenario: a mocked agent looks nothing up
    When the procedure runs
    Then the output text should be "Tea is still hot."
    And the output pages should be []
    And the output searches should be 0
]])
