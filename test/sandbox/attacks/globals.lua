local names = {}
for name in pairs(_G) do names[#names + 1] = name end
table.sort(names)
return table.concat(names, " ")
