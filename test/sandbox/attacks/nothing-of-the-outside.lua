local found = {}
for _, name in ipairs{
  "load", "loadstring", "loadfile", "dofile", "package", "io", "debug", "collectgarbage", "js", "fengari", "python",
  "process", "globalThis", "console", "window", "_tactus", "newproxy", "setfenv", "getfenv", "module", "unpack",
} do if _G[name] ~= nil then found[#found + 1] = name end end
for _, path in ipairs{"os.execute", "os.exit", "os.remove", "os.rename", "os.setlocale", "string.dump", "math.constructor"} do
  local library, name = path:match("(%w+)%.(%w+)")
  if _G[library][name] ~= nil then found[#found + 1] = path end
end
return {found = #found, environment = os.getenv("HOME") == nil}
