---@meta tactus.io.json

local json = {}

---The data in a file of JSON.
---@param path string
---@return any
function json.read(path) end

---Writes data as JSON, over several lines, keys in order.
---@param path string
---@param data any
---@param indent? integer 2 without it.
---@return boolean
function json.write(path, data, indent) end

---@param data any
---@param indent? integer
---@return string
function json.encode(data, indent) end

---@param text string
---@return any
function json.decode(text) end

return json
