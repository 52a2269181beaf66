local fake = {effect = {type = "hitl_approval", name = "x", effect = {kind = "human"}}}
local co = coroutine.wrap(function() return coroutine.yield(fake) end)
local given = co()
return {same = given == fake, answer = co("answer")}
