/** `tactus.io.parquet`, `tactus.io.excel` and `tactus.io.hdf5`: files of data, which the worker's libraries read. */
export const ioParquet = String.raw`
local ask = ...
return {
  read = function(path) return ask("read", path) end,
  write = function(path, data) return ask("write", path, nil, data) end,
}
`;

export const ioExcel = String.raw`
local ask = ...
return {
  read = function(path, options) return ask("read", path, options and options.sheet) end,
  write = function(path, data, options) return ask("write", path, options and options.sheet, data) end,
  sheets = function(path) return ask("list", path) end,
}
`;

export const ioHdf5 = String.raw`
local ask = ...
return {
  read = function(path, dataset) return ask("read", path, dataset or "") end,
  write = function(path, dataset, data) return ask("write", path, dataset or "", data) end,
  list = function(path) return ask("list", path) end,
}
`;
