local main, isMain = coroutine.running()
local out = {isMain, coroutine.isyieldable(), coroutine.status(main)}
for i, name in ipairs{"resume", "close"} do
  local results = {pcall(coroutine[name], main)}
  out[#out + 1] = results[#results]
end
local results = {pcall(coroutine.yield, {effect = {type = "sleep"}})}
out[#out + 1] = results[#results]
coroutine.wrap(function() out[#out + 1] = coroutine.status(main) .. tostring(coroutine.resume(main)) end)()
out[#out + 1] = Human.approve("still here?")
return out
