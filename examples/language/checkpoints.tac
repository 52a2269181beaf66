-- Checkpoints: what is recorded once is the same in every replay. Steps group them under a name.

Procedure {
  output = {
    seen = field.boolean {},
    positions = field.array {},
    facts = field.integer {},
    kept = field.boolean {},
  },
  function()
    local now = checkpoint(function()
      return os.time()
    end)
    checkpoint()
    local dice = Step.checkpoint(function()
      return math.random(6)
    end)
    local facts = step("research", function()
      return checkpoint(function()
        return 7
      end)
    end)
    local at = Checkpoint.next_position()
    local seen = Checkpoint.exists(0) and Checkpoint.get(0) == now and Checkpoint.get(2) == dice
    -- What was done stays done.
    local kept = not pcall(Checkpoint.clear_all) and not pcall(Checkpoint.clear_after, 1)
    return { seen = seen, positions = { at, Checkpoint.get("3.0") }, facts = facts, kept = kept }
  end,
}

Specification([[
Feature: Checkpoints
  Scenario: they are looked at
    When the procedure runs
    Then the output seen should be true
    And the output positions should be [4, 7]
    And the output facts should be 7
    And the output kept should be true
]])
