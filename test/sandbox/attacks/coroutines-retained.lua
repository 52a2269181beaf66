local t = {}
while true do
  local co = coroutine.create(function(...) local a, b, c = ... coroutine.yield(a, b, c) end)
  coroutine.resume(co, 1, 2, 3)
  t[#t + 1] = co
end
