local threads = {}
local results = Parallel{
  function() threads[1] = coroutine.running() Sleep(1) return "first" end,
  function()
    local ok, message = coroutine.resume(threads[1], "wrong")
    local closed = pcall(coroutine.close, threads[1])
    return tostring(ok) .. " " .. message .. " " .. tostring(closed) .. " " .. coroutine.status(threads[1])
  end,
}
local after = coroutine.status(threads[1])
return {results[1], results[2], after, (coroutine.resume(threads[1]))}
