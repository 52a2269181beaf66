-- Coroutines: what waits inside of one goes past it, and the coroutine doesn't notice.

Procedure {
  output = { seen = field.array {}, states = field.array {}, inside = field.boolean {} },
  function()
    local days = coroutine.wrap(function()
      for _, day in ipairs({ "Mon", "Tue" }) do
        Sleep("1d")
        coroutine.yield(day)
      end
    end)
    local seen = { days(), days() }
    local worker = coroutine.create(function(name)
      local thread, isMain = coroutine.running()
      local ok = coroutine.isyieldable() and not isMain and coroutine.status(thread) == "running"
      return ok, coroutine.yield("Hello, " .. name)
    end)
    local before = coroutine.status(worker)
    local _, greeting = coroutine.resume(worker, "Ann")
    local _, inside, answer = coroutine.resume(worker, "Hello yourself")
    seen[3], seen[4] = greeting, answer
    return { seen = seen, states = { before, coroutine.status(worker) }, inside = inside }
  end,
}

Specification([[
Feature: Coroutines
  Scenario: they take turns
    When the procedure runs
    Then the output seen should be ["Mon", "Tue", "Hello, Ann", "Hello yourself"]
    And the output states should be ["suspended", "dead"]
    And the output inside should be true
]])
