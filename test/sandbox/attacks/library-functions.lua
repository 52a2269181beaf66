local names = {}
for _, library in ipairs{"coroutine", "math", "os", "string", "table", "utf8"} do
  local inside = {}
  for name in pairs(_G[library]) do inside[#inside + 1] = name end
  table.sort(inside)
  names[#names + 1] = library .. ": " .. table.concat(inside, " ")
end
return table.concat(names, "\n")
