-- A call that nobody waits for any longer, because the branch beside it has failed.

Procedure {
  input = { endpoint = field.string { required = true } },
  function(input)
    local ok = pcall(Parallel, {
      function()
        http_client.get(input.endpoint .. "/hangs", { timeout = 60 })
      end,
      function()
        Sleep(0.2)
        error("enough")
      end,
    })
    Sleep(0.2)
    return { ok = ok }
  end,
}
