---@meta tactus.io.parquet

local parquet = {}

---The rows of a file of Parquet.
---@param path string
---@return table<string, any>[]
function parquet.read(path) end

---Writes rows. A column holds values of one type; what a row doesn't have is missing there.
---@param path string
---@param data table<string, any>[]
---@return boolean
function parquet.write(path, data) end

return parquet
