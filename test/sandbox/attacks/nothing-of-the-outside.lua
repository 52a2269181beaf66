local found = {}
for _, name in ipairs{
  "load", "loadstring", "loadfile", "dofile", "io", "js", "fengari",
  "process", "globalThis", "console", "window", "_tactus", "newproxy", "setfenv", "getfenv", "module", "unpack",
} do if _G[name] ~= nil then found[#found + 1] = name end end
for _, path in ipairs{
  "os.execute", "os.exit", "os.remove", "os.rename", "os.setlocale", "string.dump", "math.constructor",
  "debug.getinfo", "debug.sethook", "debug.getlocal", "debug.getupvalue", "debug.getregistry", "debug.setmetatable",
  "package.loadlib", "package.searchers", "package.preload", "package.path", "package.cpath",
} do
  local library, name = path:match("(%w+)%.(%w+)")
  if _G[library][name] ~= nil then found[#found + 1] = path end
end
for _, name in ipairs{"eval", "exec", "import", "builtins"} do
  if pcall(python[name], "1") then found[#found + 1] = name end
end
return {found = #found, environment = os.getenv("HOME") == nil}
