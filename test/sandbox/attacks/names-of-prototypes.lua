local out = {}
for _, name in ipairs{"constructor", "toString", "__proto__", "hasOwnProperty", "valueOf"} do
  state[name] = name
  local missing = {input[name], Tool[name], Human[name], Log[name], field[name]}
  out[name] = {
    kept = state[name] == name and State.get(name) == name, missing = next(missing) == nil,
    tool = pcall(Tool, name), called = pcall(Tool.called, name), agent = type(Agent(name)), model = type(Model(name)),
  }
end
return out
