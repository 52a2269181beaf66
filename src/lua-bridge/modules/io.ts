/** `tactus.io.file`: files beside the procedure's. */
export const ioFile = String.raw`
local file = ...
return {read = file.read, write = file.write, exists = file.exists}
`;

/** `tactus.io.json` of runs that began before engine 9. */
export const olderJson = String.raw`
local file = ...

-- Lists and objects over several lines, as people read them; keys in order, so that a file changes where its data does.
local function write(value, indent, before)
  if type(value) ~= "table" or next(value) == nil then return Json.encode(value) end
  local inside = before .. (" "):rep(indent)
  local parts = {}
  if #value > 0 then
    for _, item in ipairs(value) do parts[#parts + 1] = inside .. write(item, indent, inside) end
    return "[\n" .. table.concat(parts, ",\n") .. "\n" .. before .. "]"
  end
  local keys = {}
  for key in pairs(value) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  for _, key in ipairs(keys) do
    parts[#parts + 1] = inside .. Json.encode(tostring(key)) .. ": " .. write(value[key], indent, inside)
  end
  return "{\n" .. table.concat(parts, ",\n") .. "\n" .. before .. "}"
end

return {
  read = function(path) return Json.decode(file.read(path)) end,
  write = function(path, data, indent) return file.write(path, write(data, indent or 2, "")) end,
  encode = function(data, indent) return indent and write(data, indent, "") or Json.encode(data) end,
  decode = Json.decode,
}
`;

/** `tactus.io.json`: what is written is what `Json.encode` would make of it, over several lines. */
export const ioJson = String.raw`
local file = ...

-- How many values a list has; nil for a table that has other keys than 1 to n.
local function length_of(value)
  local count = 0
  for _ in pairs(value) do count = count + 1 end
  for i = 1, count do
    if value[i] == nil then return nil end
  end
  return count
end

-- Lists and objects over several lines, as people read them; keys in order, so that a file changes where its data does.
local function lay_out(value, indent, before)
  if type(value) ~= "table" or next(value) == nil then return Json.encode(value) end
  local inside = before .. (" "):rep(indent)
  local parts = {}
  local length = length_of(value)
  if length then
    for i = 1, length do parts[i] = inside .. lay_out(value[i], indent, inside) end
    return "[\n" .. table.concat(parts, ",\n") .. "\n" .. before .. "]"
  end
  local keys = {}
  for key in pairs(value) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  for _, key in ipairs(keys) do
    parts[#parts + 1] = inside .. Json.encode(tostring(key)) .. ": " .. lay_out(value[key], indent, inside)
  end
  return "{\n" .. table.concat(parts, ",\n") .. "\n" .. before .. "}"
end

-- Json.encode refuses what has no form in JSON: a table in itself, two keys that look the same.
local function encode(data, indent)
  local text = Json.encode(data)
  return indent and lay_out(data, indent, "") or text
end

return {
  read = function(path) return Json.decode(file.read(path)) end,
  write = function(path, data, indent) return file.write(path, encode(data, indent or 2)) end,
  encode = encode,
  decode = Json.decode,
}
`;
