-- What is done when a service is sick: look, ask before anything is restarted, restart, look again, and undo where it didn't help.

-- A sick service is an answer too: http_client raises only where none comes.
local function health(url)
  local ok, answer = pcall(http_client.get, url .. "/health", { timeout = 10 })
  if not ok then
    return "silent"
  end
  return answer.ok and "healthy" or "sick (" .. answer.status .. ")"
end

local function post(url, what)
  local answer = http_client.post(url .. "/" .. what, { json = { by = "runbook" } })
  if not answer.ok then
    error(what .. " was answered with " .. answer.status)
  end
end

-- Looks eight times, until the service is well.
local function recovers(url, pause)
  for _ = 1, 8 do
    Sleep(pause)
    state.health = health(url)
    if state.health == "healthy" then
      return true
    end
  end
  return false
end

Procedure {
  input = {
    service = field.string { default = "http://127.0.0.1:8080" },
    pause = field.number { default = 15, description = "Seconds between two looks at it" },
  },
  output = {
    outcome = field.string {
      required = true,
      enum = { "healthy", "left alone", "restarted", "rolled back", "escalated" },
    },
    health = field.string { required = true },
  },
  state = { health = field.string { default = "unknown" } },
  function(input)
    local url = input.service
    local function ended(outcome)
      return { outcome = outcome, health = state.health }
    end

    state.health = step("look", function()
      return health(url)
    end)
    if state.health == "healthy" then
      return ended("healthy")
    end

    -- Nobody there: better restarted by itself than sick all night.
    local agreed = Human.approve {
      message = url .. " is " .. state.health .. ". Restart it?",
      timeout = "15m",
      default = true,
    }
    if not agreed then
      return ended("left alone")
    end
    step("restart", function()
      post(url, "restart")
    end)
    if recovers(url, input.pause) then
      return ended("restarted")
    end

    step("roll back", function()
      post(url, "rollback")
    end)
    if recovers(url, input.pause) then
      return ended("rolled back")
    end
    Human.escalate {
      message = url .. " is " .. state.health .. " after a restart and a rollback",
      severity = "critical",
    }
    return ended("escalated")
  end,
}

Mocks {
  http_client = {
    conditional = {
      { when = { method = "POST" }, returns = { status = 202 } },
      { when = { url = "contains: well" }, returns = { status = 200 } },
      { when = { url = "contains: health" }, returns = { status = 503 } },
    },
  },
}

Specification([[
Feature: A runbook

  Scenario: nothing is done to a healthy service
    Given the input service is "http://well.example"
    When the procedure runs
    Then the output outcome should be "healthy"
    And the execution log should contain 0 hitl_approval entries

  Scenario: a person says no
    Given the person rejects "http://127.0.0.1:8080 is sick (503). Restart it?"
    When the procedure runs
    Then the output outcome should be "left alone"

  Scenario: nothing helps
    When the procedure runs
    Then the output outcome should be "escalated"
    And the output health should be "sick (503)"
]])
