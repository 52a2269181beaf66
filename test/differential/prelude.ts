/**
 * What every program starts with, on its first line: `try` runs a statement and prints what it returned or raised.
 * Values are printed in ASCII, tables with sorted keys, numbers so that integers and floats differ.
 */
export const prelude = `
local byte, format, gsub, sub, concat, sort = string.byte, string.format, string.gsub, string.sub, table.concat, table.sort
local pack, pcall, type, tostring, next, rawget, print = table.pack, pcall, type, tostring, next, rawget, print
local function quoted(s) return '"' .. gsub(s, '[%c\\128-\\255"\\\\]', function(c) return format("\\\\x%02X", byte(c)) end) .. '"' end
local function show(v, depth)
  if type(v) == "string" then return quoted(v) end
  if type(v) == "number" or type(v) == "boolean" or type(v) == "nil" then return tostring(v) end
  if type(v) ~= "table" or depth > 4 then return type(v) end
  local parts = {}
  for k, x in next, v do parts[#parts + 1] = show(k, depth + 1) .. "=" .. show(x, depth + 1) end
  sort(parts)
  return "{" .. concat(parts, ", ") .. "}"
end
local function shown(...)
  local values = pack(...)
  for i = 1, values.n do values[i] = show(values[i], 0) end
  return concat(values, ", ", 1, values.n)
end
local function try(n, f)
  local result = pack(pcall(f))
  if result[1] then print(n .. " returns " .. shown(table.unpack(result, 2, result.n)))
  else print(n .. " raises " .. shown(result[2])) end
end
local plain = print
local print = function(...) plain("prints " .. shown(...)) end
local s1, s2, t1, t2, i1, i2 = "abc", "é", {1, 2, 3}, {x = 1, y = {z = "deep"}}, 42, 2147483648
`
  .trim()
  .replaceAll('\n', ' ');
