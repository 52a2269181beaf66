local out = {}
for _, name in ipairs{"Agent", "Human", "Tool", "Model", "Procedure", "Parallel", "Step", "Log", "Json", "File", "Retry", "field", "input"} do
  local primitive = _G[name]
  out[name] = {
    getmetatable(primitive), pcall(rawset, primitive, "x", 1), pcall(rawget, primitive, "x"),
    pcall(setmetatable, primitive, {}), pcall(function() primitive.x = 1 end),
  }
  for i, value in ipairs(out[name]) do out[name][i] = type(value) == "string" and "message" or value end
end
return out
