local open = {}
for _, name in ipairs{
  "Agent", "Human", "Tool", "Model", "Procedure", "Parallel", "Step", "Log", "Json", "File", "Retry", "State", "Checkpoint",
  "agent", "model", "procedure", "field", "input",
} do
  local primitive = _G[name]
  local changed = pcall(rawset, primitive, "x", 1) or pcall(rawget, primitive, "x") or pcall(setmetatable, primitive, {})
    or pcall(function() primitive.x = 1 end) or getmetatable(primitive) ~= false
  if changed then open[#open + 1] = name end
end
return open
