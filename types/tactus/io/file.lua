---@meta tactus.io.file

local file = {}

---See `File.read`.
---@param path string
---@return string
function file.read(path) end

---See `File.write`.
---@param path string
---@param content string
---@return boolean
function file.write(path, content) end

---See `File.exists`.
---@param path string
---@return boolean
function file.exists(path) end

return file
