-- A graph with three nodes side by side (predictions over the network, a timer, a request) and a node after them;
-- what it sends goes out beside it.
main = Graph {
  channels = {
    endpoint = Graph.last,
    scores = Graph.append,
    total = function(current, update) return (current or 0) + update end,
    ok = Graph.last,
  },
  entrypoint = "plan",
  nodes = {
    plan = function() return { intents = { { type = "tell", payload = { begun = true } } }, next = { "first", "second", "ask" } } end,
    first = function(state)
      local score = Model { type = "http", endpoint = state.endpoint or "http://127.0.0.1/", timeout = 20 }
      local value = score({ n = 1 }).output.score
      return {
        writes = { scores = { value }, total = value },
        ledger = { { topic = "scored", key = "first" } },
        intents = { { type = "tell", payload = { scored = "first" } }, { type = "tell", payload = { value = value } } },
        next = "join",
      }
    end,
    second = function(state)
      local score = Model { type = "http", endpoint = state.endpoint or "http://127.0.0.1/", timeout = 20 }
      Sleep(0.2)
      local value = score({ n = 3 }).output.score
      return { writes = { scores = { value }, total = value }, ledger = { { topic = "scored", key = "second" } }, next = "join" }
    end,
    ask = function(state)
      return { writes = { ok = Human.approve { message = "Go on?" } }, next = "join" }
    end,
    join = function(state)
      local score = Model { type = "http", endpoint = state.endpoint or "http://127.0.0.1/", timeout = 20 }
      return { writes = { scores = { score({ n = 4 }).output.score } }, intents = { { type = "tell", payload = { done = true } } } }
    end,
  },
}
