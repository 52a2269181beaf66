local function deep(n) if n > 0 then return deep(n - 1), 1 end while true do debug.traceback() end end deep(60)
