local function deep(n) if n == 0 then error() end return coroutine.wrap(deep)(n - 1) end
return {pcall(deep, 100)}
