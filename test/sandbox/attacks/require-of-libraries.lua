local out = {}
for i, name in ipairs{"os", "io", "debug", "package", "fengari", "fs", "node:fs", "constructor", "__proto__"} do
  out[i] = select(2, pcall(require, name)):match("module '.-' not found") ~= nil
end
return out
