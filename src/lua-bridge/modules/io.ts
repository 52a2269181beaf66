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

/** `tactus.io.csv` and `tactus.io.tsv`: tables with a line of headers. `separator` is what stands between fields, for Lua. */
export function delimited(separator: string): string {
  return String.raw`
local file = ...
local separator = "${separator}"

-- Lines of fields. A field in quotes may hold separators, line ends, and quotes that are doubled. An empty line is none,
-- unless its one field is in quotes, and what is never closed goes on to the end, as in the reference. Positions are those of bytes, which match, find and byte count, and sub does not.
local function parse(text)
  local rows, row, at, in_quotes = {}, {}, 1, false
  text = text:gsub("^\xef\xbb\xbf", "")
  local quote, comma = ('"'):byte(), separator:byte()
  local cr, lf = ("\r\n"):byte(1, 2)
  while at <= #text do
    local field = ""
    if text:byte(at) == quote then
      local parts = {}
      repeat
        local part = text:match('^[^"]*', at + 1)
        parts[#parts + 1] = part
        at = at + #part + 2
      until text:byte(at) ~= quote
      field, in_quotes = table.concat(parts, '"'), true
    end
    local rest = text:match("^[^" .. separator .. "\r\n]*", at) or ""
    field, at = field .. rest, at + #rest
    row[#row + 1] = field
    local after = text:byte(at)
    at = at + 1
    if after == comma then
      if at > #text then row[#row + 1] = "" end
    else
      if after == cr and text:byte(at) == lf then at = at + 1 end
      if #row > 1 or row[1] ~= "" or in_quotes then rows[#rows + 1] = row end
      row, in_quotes = {}, false
    end
  end
  if #row > 0 then rows[#rows + 1] = row end
  return rows
end

local function free(name, taken)
  while taken[name] do name = name .. "_" end
  taken[name] = true
  return name
end

-- One name for each column. Of several with one header the last has it, as in the reference; the others have their number with
-- it, and columns without a header are col_0, col_1 and so on, as in tactus.io.excel.
local function names_of(headers, width)
  local last, taken, names = {}, {}, {}
  for n, header in ipairs(headers) do last[header], taken[header] = n, true end
  for n = 1, width do
    local header = headers[n]
    if header == nil then names[n] = free("col_" .. (n - 1), taken)
    elseif last[header] == n then names[n] = header
    else names[n] = free(header .. "_" .. n, taken) end
  end
  return names
end

local function read(path)
  local lines = parse(file.read(path))
  local headers, width, rows = lines[1] or {}, 0, {}
  for _, line in ipairs(lines) do
    local filled = #line
    while filled > #headers and line[filled] == "" do filled = filled - 1 end
    if filled > width then width = filled end
  end
  local names = names_of(headers, width)
  for i = 2, #lines do
    local row = {}
    for n, name in ipairs(names) do row[name] = lines[i][n] end
    rows[i - 1] = row
  end
  return rows
end

-- The text of a field, or nothing for a value that has none.
local function text_of(value)
  local kind = type(value)
  if value == nil then return "" end
  if kind ~= "string" and kind ~= "number" and kind ~= "boolean" then return nil end
  local text = tostring(value)
  if text:find('[\r\n"' .. separator .. "]") then return '"' .. text:gsub('"', '""') .. '"' end
  return text
end

-- A line with one empty field alone would be none.
local function line_of(fields)
  return #fields == 1 and fields[1] == "" and '""' or table.concat(fields, separator)
end

-- The columns that any of the rows has, in the order of the alphabet: tables have none.
local function headers_of(data)
  local headers, seen = {}, {}
  for _, row in ipairs(data) do
    for header in pairs(row) do
      if not seen[header] then headers[#headers + 1], seen[header] = header, true end
    end
  end
  table.sort(headers, function(a, b) return tostring(a) < tostring(b) end)
  return headers
end

local function write(path, data, options)
  local count = 0
  for _ in pairs(data) do count = count + 1 end
  if count == 0 then error("there is nothing to write to " .. path, 2) end
  for i = 1, count do
    if type(data[i]) ~= "table" then error(path .. " can't be written: row " .. i .. " is no table of columns", 2) end
  end
  local headers = options and options.headers or headers_of(data)
  local fields = {}
  for n, header in ipairs(headers) do fields[n] = text_of(header) or "" end
  local lines = {line_of(fields)}
  for i, row in ipairs(data) do
    fields = {}
    for n, header in ipairs(headers) do
      local text = text_of(row[header])
      if not text then
        error(path .. " can't be written: " .. tostring(header) .. " in row " .. i .. " is a " .. type(row[header]) .. ": a field holds one value", 2)
      end
      fields[n] = text
    end
    lines[i + 1] = line_of(fields)
  end
  return file.write(path, table.concat(lines, "\r\n") .. "\r\n")
end

return {read = read, write = write}
`;
}

/** `tactus.io.csv` and `tactus.io.tsv` of runs that began before engine 9. `separator` is what stands between fields, for Lua. */
export function olderDelimited(separator: string): string {
  return String.raw`
local file = ...
local separator = "${separator}"

-- Lines of fields. A field in quotes may hold separators, line ends, and quotes that are doubled. Positions are those of
-- bytes, which match, find and byte count, and sub does not.
local function parse(text)
  local rows, row, at = {}, {}, 1
  text = text:gsub("^\xef\xbb\xbf", ""):gsub("\r\n", "\n")
  local quote, comma = ('"'):byte(), separator:byte()
  while at <= #text do
    local field = ""
    if text:byte(at) == quote then
      local parts = {}
      repeat
        local part = text:match('^[^"]*', at + 1)
        parts[#parts + 1] = part
        at = at + #part + 2
      until text:byte(at) ~= quote
      field = table.concat(parts, '"')
    end
    local rest = text:match("^[^" .. separator .. "\n]*", at) or ""
    field, at = field .. rest, at + #rest
    row[#row + 1] = field
    local after = text:byte(at)
    at = at + 1
    if after ~= comma then
      if #row > 1 or row[1] ~= "" then rows[#rows + 1] = row end
      row = {}
    elseif at > #text then
      row[#row + 1] = ""
    end
  end
  if #row > 0 then rows[#rows + 1] = row end
  return rows
end

local function quoted(value)
  if value == nil then return "" end
  local text = tostring(value)
  if text:find('[\r\n"' .. separator .. "]") then return '"' .. text:gsub('"', '""') .. '"' end
  return text
end

local function read(path)
  local lines = parse(file.read(path))
  local headers, rows = lines[1] or {}, {}
  for i = 2, #lines do
    local row = {}
    for n, header in ipairs(headers) do row[header] = lines[i][n] end
    rows[i - 1] = row
  end
  return rows
end

local function write(path, data, options)
  if #data == 0 then error("there is nothing to write to " .. path, 2) end
  local headers = options and options.headers
  if not headers then
    headers = {}
    for header in pairs(data[1]) do headers[#headers + 1] = header end
    table.sort(headers)
  end
  local function line_of(value)
    local fields = {}
    for n, header in ipairs(headers) do fields[n] = quoted(value(header)) end
    return table.concat(fields, separator)
  end
  local lines = {line_of(function(header) return header end)}
  for i, row in ipairs(data) do lines[i + 1] = line_of(function(header) return row[header] end) end
  return file.write(path, table.concat(lines, "\r\n") .. "\r\n")
end

return {read = read, write = write}
`;
}
