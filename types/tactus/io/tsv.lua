---@meta tactus.io.tsv

local tsv = {}

---The rows of a file, by the headers in its first line.
---@param path string
---@return table<string, string>[]
function tsv.read(path) end

---Writes rows, with a line of headers.
---@param path string
---@param data table<string, any>[]
---@param options? { headers?: string[] } Without it, the keys of the first row in the order of the alphabet.
---@return boolean
function tsv.write(path, data, options) end

return tsv
