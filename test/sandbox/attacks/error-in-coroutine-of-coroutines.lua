local function deep(n) if n == 0 then error() end return coroutine.wrap(deep)(n - 1) end
local ok, message = pcall(deep, 100)
return {ok, (message:gsub("main.tac:%d: ", ""))}
