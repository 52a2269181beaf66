---@meta tactus.io.excel

local excel = {}

---The rows of a sheet, by the names in its first row.
---@param path string
---@param options? { sheet?: string } Without it, the sheet that was in front when the workbook was saved.
---@return table<string, any>[]
function excel.read(path, options) end

---Makes a workbook with one sheet.
---@param path string
---@param data table<string, any>[]
---@param options? { sheet?: string } `"Sheet1"` without it.
---@return boolean
function excel.write(path, data, options) end

---The names of the sheets.
---@param path string
---@return string[]
function excel.sheets(path) end

return excel
