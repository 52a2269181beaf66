-- A session: what a run knows of its work, with a plan that an agent keeps.

Mocks {
  worker = {
    temporal = {
      {
        tool_calls = {
          {
            tool = "planning_setup_plan",
            args = { objective = "Publish the guide", initial_steps = { "Draft", "Review" } },
          },
          { tool = "planning_update_step", args = { step_id = 1, status = "done" } },
          { tool = "planning_read_plan" },
        },
        message = "The draft is there.",
      },
    },
  },
}

worker = Agent {
  model = "openai/gpt-5-mini",
  system_prompt = "You write guides.",
  toolsets = { PlanningTools { strategy = "plan_act_reflect" } },
}

local findings = Session.slice("findings", { reducer = { "upsert_by", "id" } })

Procedure {
  output = {
    done = field.integer {},
    open = field.integer {},
    status = field.string {},
    found = field.integer {},
  },
  function()
    worker("Write the guide.")
    local plan = Plan.read()
    local done = 0
    for _, each in ipairs(plan.steps) do
      if each.status == "done" then
        done = done + 1
      end
    end
    -- What is appended again under the same id takes the place of what was there.
    findings.append { id = 1, text = "a fault" }
    findings.append { id = 1, text = "a fault in line 3" }
    findings.append { id = 2, text = "a question" }
    local faults = findings.where(function(item)
      return item.text:find("fault") ~= nil
    end)
    Log.info(Plan.progress(), { faults = #faults, newest = findings.latest() })
    Plan.add { steps = { "Publish" } }
    Plan.update { step_id = 2, title = "Review it twice" }
    local open = #Plan.current().steps - done
    Session.slice("kept").seed(findings.all())
    findings.clear()
    local found = #Session.slice("kept").all()
    -- Each round is a checkpoint; a snapshot is made for each step of the plan that is done.
    local rounds = DurableLoop {
      request = { step = 2 },
      deadline = "2h",
      checkpoint_on = { "plan_step_done", "round" },
      body = function(request, session)
        session.slice("rounds").append { step = request.step }
        session.checkpoint("round")
        local seen = #session.slice("rounds").all()
        if seen == 2 then
          Plan.update { step_id = request.step, status = "in_progress" }
          return seen
        end
      end,
    }
    Session.checkpoint()
    Log.info("rounds", { rounds = rounds })
    -- A snapshot is a text in the JSON of WINK: of this run, or of another one.
    local snapshot = Session.snapshot()
    Session.reset()
    Session.restore(snapshot, { missing = "ignore" })
    Session.reset()
    Plan.setup { objective = "Nothing more" }
    return { done = done, open = open, status = Plan.current().status, found = found }
  end,
}

Specification([[
Feature: A plan and findings
  Scenario: half of the plan is done
    When the procedure runs
    Then the output done should be 1
    And the output open should be 2
    And the output found should be 2
    And the output status should be "active"
]])
