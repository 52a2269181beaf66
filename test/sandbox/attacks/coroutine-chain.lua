local function chain(n)
  if n == 0 then return "end" end
  return coroutine.wrap(chain)(n - 1)
end
local ok, message = pcall(chain, 10000)
return {ok, message:match("C stack overflow$")}
