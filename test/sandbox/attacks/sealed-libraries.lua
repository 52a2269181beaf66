local out = {}
for _, name in ipairs{"coroutine", "math", "os", "string", "table", "utf8"} do
  local library = _G[name]
  local field = next(library)
  out[name] = {
    pcall(rawset, library, "extra", 1), pcall(function() library[field] = nil end), pcall(setmetatable, library, {}),
    pcall(table.insert, library, 1), library[field] ~= nil,
  }
end
return out
