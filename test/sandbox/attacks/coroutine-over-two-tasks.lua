-- One branch starts a coroutine that waits in it; the other tries to take it over.
local co = coroutine.create(function() Sleep(5) return "slept" end)
return Parallel{
  function() return {coroutine.resume(co)} end,
  function() return {coroutine.resume(co)} end,
  function() return coroutine.status(co) end,
}
