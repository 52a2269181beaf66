-- An agent that makes a plan, works on it round by round, and has a person approve what it found. It runs offline with --mock.

Mocks {
  researcher = {
    temporal = {
      {
        tool_calls = {
          {
            tool = "planning_setup_plan",
            args = {
              objective = "Say which store keeps the checkpoints",
              initial_steps = {
                "Read the notes on PostgreSQL",
                "Read the notes on SQLite",
                "Compare both",
              },
            },
          },
        },
        message = "I have a plan.",
      },
      {
        tool_calls = {
          { tool = "planning_update_step", args = { step_id = 1, status = "done" } },
        },
        message = "PostgreSQL: several workers write at once.",
      },
      {
        tool_calls = {
          { tool = "planning_update_step", args = { step_id = 2, status = "done" } },
        },
        message = "SQLite: one file, and one writer at a time.",
      },
      {
        tool_calls = {
          { tool = "planning_update_step", args = { step_id = 3, status = "done" } },
        },
        message = "PostgreSQL, as three workers write.",
      },
    },
  },
}

-- What is found for a step of the plan takes the place of what was found for it before.
local findings = Session.slice("findings", { reducer = { "upsert_by", "step" } })

local function stepsDone(plan)
  local count = 0
  for _, step in ipairs(plan.steps) do
    if step.status == "done" then
      count = count + 1
    end
  end
  return count
end

researcher = Agent {
  model = "openai/gpt-5-mini",
  -- Each round reads this anew, so a run that goes on after a crash needs no other prompt.
  system_prompt = function(session)
    return "You do research. Do one step of the plan in each turn.\n\n" .. Plan.progress()
  end,
  toolsets = { PlanningTools { strategy = "plan_act_reflect" } },
  message_history = { mode = "isolated" },
  budget = { turns = 20 },
}

Procedure {
  input = {
    question = field.string { default = "Which store should keep the checkpoints?" },
    pause = field.string { default = "0s", description = "How long to wait after each round" },
  },
  output = {
    answer = field.string { required = true },
    findings = field.array { required = true },
    approved = field.boolean { required = true },
  },
  function(input)
    local answer = DurableLoop {
      request = input.question,
      deadline = "2h",
      checkpoint_on = { "plan_step_done" },
      body = function(question)
        local text = researcher(question).text
        Sleep(input.pause)
        local plan = Plan.current()
        local done = plan and stepsDone(plan) or 0
        if done > 0 then
          findings.append { step = done, text = text }
        end
        return plan and plan.status == "completed" and text or nil
      end,
    }
    local approved = Human.approve {
      message = "Publish the answer?",
      context = { answer = answer, findings = findings.all() },
      timeout = "3d",
      default = false,
    }
    return { answer = answer, findings = findings.all(), approved = approved }
  end,
}

Specification([[
Feature: Research by a plan
  Scenario: the plan is done, and somebody approves
    Given the person approves "Publish the answer?"
    When the procedure runs
    Then the output answer should contain "PostgreSQL"
    And the output approved should be true
    And the output findings should contain "one writer"
  Scenario: nobody answers
    Given nobody answers "Publish the answer?"
    When the procedure runs
    Then the output approved should be false
]])
