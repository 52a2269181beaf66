-- Requests over HTTP, one after the other and side by side, some of which fail.
Procedure {
  input = { endpoint = field.string{required = true} },
  function(input)
    local api = http_client{ base_url = input.endpoint, timeout = 20 }
    local made = api.post("/orders", { json = { n = 4 } })
    local ok, problem = pcall(api.get, "/broken")
    local results = Parallel.map({ 1, 2, 3, 4, 5 }, function(n)
      local answer = api.put("/orders/" .. n, { json = { n = n } })
      if n % 2 == 0 then Sleep(0.05) end
      return answer.json.score + api.patch("/orders/" .. n, { json = { n = n * 4 } }).json.score
    end, { concurrency = 3 })
    local missing = api.get("/missing")
    local tried = { pcall(http_client.get, "http://me@127.0.0.1/") }
    Human.approve("Were all of them sent?")
    local last = api.delete("/orders", { json = { n = 8 } })
    return {
      made = made.json.score,
      broken = ok,
      told = problem ~= nil,
      results = results,
      missing = missing.status,
      tried = tried[1],
      last = last.json.score,
    }
  end,
}
