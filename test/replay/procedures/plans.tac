-- A loop that lasts: an agent keeps a plan, slices are kept and put back, each round is a checkpoint.
worker = Agent {
  model = "openai/gpt-4o-mini",
  system_prompt = function() return "You work by the plan.\n\n" .. Plan.progress() end,
  toolsets = { PlanningTools { strategy = "plan_act_reflect" } },
  message_history = { mode = "isolated" },
}
local answers = Session.slice("answers", { reducer = { "upsert_by", "round" } })

Procedure {
  function()
    local text = DurableLoop {
      request = "Publish the guide",
      deadline = "2h",
      checkpoint_on = { "plan_step_done" },
      body = function(request)
        local round = #answers.all() + 1
        answers.append { round = round, text = worker(request).text }
        local kept = Session.snapshot()
        answers.append { round = 100, text = "not kept" }
        Session.restore(kept)
        Sleep(0.01)
        local plan = Plan.current()
        return plan and plan.status == "completed" and Plan.progress() or nil
      end,
    }
    return { rounds = #answers.all(), text = text }
  end,
}
