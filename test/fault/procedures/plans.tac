-- An agent that keeps a plan, in a loop that lasts: rounds with a prediction over the network, a timer, slices that are kept and put
-- back, and a person who is asked when the plan is done.
worker = Agent {
  model = "openai/gpt-4o-mini",
  system_prompt = function() return "You work by the plan.\n\n" .. Plan.progress() end,
  toolsets = { PlanningTools { strategy = "plan_act_reflect" } },
  message_history = { mode = "isolated" },
}
local findings = Session.slice("findings", { reducer = { "upsert_by", "round" } })

Procedure {
  input = { endpoint = field.string { default = "http://127.0.0.1/" } },
  function(input)
    local score = Model { type = "http", endpoint = input.endpoint, timeout = 20 }
    return DurableLoop {
      request = "Publish the guide",
      deadline = "2h",
      checkpoint_on = { "plan_step_done" },
      body = function(request)
        local round = #findings.all() + 1
        local text = worker(request).text
        findings.append { round = round, text = text, score = score({ n = round }).output.score }
        local kept = Session.snapshot()
        findings.append { round = 100 }
        Session.restore(kept)
        Sleep(0.05)
        state.rounds = round
        local plan = Plan.current()
        if plan == nil or plan.status ~= "completed" then return nil end
        return { rounds = round, last = findings.latest().score, progress = Plan.progress(), ok = Human.approve("Publish it?") }
      end,
    }
  end,
}
