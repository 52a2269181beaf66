-- What fails is tried again, with waits that grow.

fetch = Tool {
  description = "Fetches a page",
  input = { url = field.string { required = true } },
  function(args)
    error("nobody answers at " .. args.url)
  end,
}

Procedure {
  input = { url = field.string { default = "shop.example" } },
  output = { attempts = field.integer {}, waited = field.number {}, problem = field.string {} },
  function(input)
    local attempts, waited = 0, 0.0
    local ok, problem = pcall(Retry.with_backoff, function()
      attempts = attempts + 1
      return fetch({ url = input.url })
    end, {
      max_attempts = 4,
      initial_delay = 60,
      max_delay = 100,
      on_error = function(failed)
        waited = waited + failed.delay
        Log.warn("Attempt " .. failed.attempt .. " of " .. failed.max_attempts)
      end,
    })
    return { attempts = attempts, waited = waited, problem = ok and "" or tostring(problem) }
  end,
}

Specification([[
Feature: Patience
  Scenario: it gives up in the end
    When the procedure runs
    Then the output attempts should be 4
    And the output waited should be 260
    And the output problem should contain "after 4 attempts"
]])
