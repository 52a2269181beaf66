local out = {}
for _, name in ipairs{"constructor", "toString", "__proto__", "hasOwnProperty", "valueOf"} do
  state[name] = name
  out[name] = {
    state[name], State.get(name), input[name] == nil, Tool[name] == nil, Human[name] == nil, Log[name] == nil,
    pcall(Tool, name), pcall(Tool.called, name), type(Agent(name)), type(Model(name)), pcall(function() return field[name]{} end),
  }
  for i, value in ipairs(out[name]) do out[name][i] = type(value) == "string" and value:gsub("main.tac:%d+: ", "") or value end
end
return out
