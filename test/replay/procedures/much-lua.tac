-- Lua that another worker could not replay in the time of one workflow task; files between other local work; values that an older engine reads in another way.
Procedure {
  function()
    local sum = 0
    for round = 1, 4 do
      for i = 1, 400000 do sum = (sum + i * i) % 1000003 end
      Sleep(0.001)
    end
    File.write("much.txt", "w")
    for i = 1, 3 do File.append("much.txt", tostring(i)) end
    if type(Json.decode("9007199254740993")) == "string" then Sleep(0.001) end
    if os.time { year = 2026, month = 14, day = 1, hour = 12 } > 0 then Sleep(0.002) end
    return { sum = sum, file = File.read("much.txt") }
  end,
}
