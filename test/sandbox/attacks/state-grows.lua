for i = 1, 100 do
  state["part" .. i] = string.rep(tostring(i % 10), 2000000)
  Sleep(1)
end
return "kept"
