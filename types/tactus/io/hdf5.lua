---@meta tactus.io.hdf5

local hdf5 = {}

---What a dataset holds, in lists of lists.
---@param path string
---@param dataset string Its path in the file, such as `"results/scores"`.
---@return any
function hdf5.read(path, dataset) end

---Puts a dataset into a file, in place of what has its name.
---@param path string
---@param dataset string
---@param data any Numbers or texts, in lists of the same length.
---@return boolean
function hdf5.write(path, dataset, data) end

---The paths of all datasets.
---@param path string
---@return string[]
function hdf5.list(path) end

return hdf5
