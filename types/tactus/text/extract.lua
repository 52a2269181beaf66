---@meta tactus.text.extract

local extract = {}

---@class tactus.ExtractConfig
---@field fields table<string, string> Names of fields with their types: `{ price = "number" }`.
---@field prompt string
---@field name? string
---@field model? string
---@field temperature? number
---@field max_tokens? integer
---@field max_retries? integer
---@field strict? boolean All fields must be there; true without it.

---@class tactus.Extraction
---@field fields table<string, any>
---@field retry_count integer
---@field raw_response? string
---@field error? string
---@field validation_errors? string[]

---@class tactus.Extractor
---@overload fun(text: string): tactus.Extraction
---@field extract fun(self: tactus.Extractor, text: string): tactus.Extraction

---@class tactus.ExtractorClass
---@field new fun(self: tactus.ExtractorClass, config: tactus.ExtractConfig): tactus.Extractor

---A class that others are made of.
---@param base? table
---@return table
function extract.class(base) end

---@type tactus.ExtractorClass
extract.BaseExtractor = {}

---Fields of a text, as a language model reads them.
---@type tactus.ExtractorClass
extract.LLMExtractor = {}

return extract
