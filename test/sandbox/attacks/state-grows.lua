local piece = string.rep("x", 2000)
for i = 1, 100 do
  state["part" .. i] = string.rep(piece, 1000)
  Sleep(1)
end
return "kept"
