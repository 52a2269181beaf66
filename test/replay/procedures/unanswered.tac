-- A request that nobody answers, which is the one that fails: whatever is answered is handed over.
Procedure {
  function()
    local ok, problem = pcall(http_client.post, "http://127.0.0.1:1/", { json = { n = 1 } })
    return { ok = ok, problem = problem ~= nil }
  end,
}
