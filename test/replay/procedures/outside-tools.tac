-- Tools outside of the run: allowed, approved, forbidden, one of which nobody heard again; and a conversation sent in parts.
look = Tool { use = "host.look" }
lost = Tool { use = "host.lost", verify = function(args) return { done = true, result = "found " .. args.n } end }
own = Tool { description = "Of the run itself", function() return "own" end }
reader = Agent { model = "openai/gpt-4o-mini", tools = { "host.lookup" } }

Procedure {
  function(input)
    local looked = Parallel.map({ 1, 2, 200 }, function(n) return look({ n = n }) end)
    local found = lost({ n = 7 })
    local denied = pcall(look, { n = -1 })
    local missing = pcall(mcp.nowhere.any, {})
    local first = reader("Where is order A7?").output
    local second = reader("And now?").output
    return { looked = looked, found = found, denied = denied, missing = missing, own = own({}), words = #first + #second }
  end,
}
