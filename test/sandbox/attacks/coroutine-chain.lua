local function chain(n)
  if n == 0 then return "end" end
  return coroutine.wrap(chain)(n - 1)
end
return {pcall(chain, 10000)}
