-- The graph of `test/support/graph-nodes.mjs`, as an executor in TypeScript makes it.
main = Graph {
  name = "scores",
  entrypoint = "plan",
  channels = {
    endpoint = Graph.last,
    scores = Graph.append,
    total = Tool { use = "host.scores.channels.total" },
    ok = Graph.last,
  },
  nodes = {
    plan = Tool { use = "host.scores.plan" },
    first = Tool { use = "host.scores.first" },
    second = Tool { use = "host.scores.second" },
    ask = Tool { use = "host.scores.ask" },
    join = Tool { use = "host.scores.join" },
  },
}
