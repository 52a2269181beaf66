local co = coroutine.create(function() step("inside", function() Sleep(1) coroutine.yield(1) end) end)
coroutine.resume(co)
local closed = coroutine.close(co)
Sleep(2)
return {closed, coroutine.status(co), coroutine.resume(co)}
