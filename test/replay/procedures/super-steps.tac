-- A graph whose rounds go on over many executions, each from a snapshot: nodes side by side that ask a model, wait and are asked,
-- what they send beside that, and a graph that a node calls.
local inner = Graph {
  channels = { sum = function(current, update) return (current or 0) + update end },
  entrypoint = "one",
  nodes = {
    one = function() return { writes = { sum = 1 }, next = "two" } end,
    two = function() return { writes = { sum = checkpoint(function() return 2 end) } } end,
  },
}

main = Graph {
  channels = { endpoint = Graph.last, round = Graph.last, scores = Graph.bounded(4), said = Graph.last },
  entrypoint = "plan",
  max_steps = 200,
  nodes = {
    plan = function(state)
      local round = (state.round or 0) + 1
      return {
        writes = { round = round },
        intents = { { type = "tell", payload = { round = round } } },
        next = { "score", "wait" },
      }
    end,
    score = function(state)
      local score = Model { type = "http", endpoint = state.endpoint, timeout = 20 }
      return {
        writes = { scores = { score({ n = state.round }).output.score + inner({}).values.sum } },
        ledger = { { topic = "scored", key = tostring(state.round), data = { n = state.round } } },
        next = state.round < 12 and "plan" or "ask",
      }
    end,
    wait = function() Sleep(0.01) return {} end,
    ask = function(state)
      local said = Graph.interrupt("Send it? Answer with {\"yes\": true}", { scores = state.scores })
      return {
        writes = { said = said.yes and Human.approve("Sure?") },
        intents = { { type = "tell", payload = { yes = said.yes } }, { type = "unknown" } },
      }
    end,
  },
}
