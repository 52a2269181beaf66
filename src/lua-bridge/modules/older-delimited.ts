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
