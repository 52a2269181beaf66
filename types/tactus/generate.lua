---@meta tactus.generate

local generate = {}

---@class tactus.GenerateConfig
---@field name? string
---@field model? string
---@field temperature? number
---@field max_tokens? integer
---@field max_retries? integer
---@field output_format? "text"|"markdown"|"json"
---@field system_prompt? string
---@field instructions? string
---@field constraints? string|string[]
---@field reasoning? boolean

---@class tactus.Generation
---@field output string
---@field reasoning? string
---@field format string
---@field retry_count integer
---@field raw_response string
---@field error? string

---@class tactus.Generator
---@overload fun(prompt: string): tactus.Generation
---@field generate fun(self: tactus.Generator, prompt: string): tactus.Generation

---@class tactus.GeneratorClass
---@field new fun(self: tactus.GeneratorClass, config: tactus.GenerateConfig): tactus.Generator

---A class that others are made of.
---@param base? table
---@return table
function generate.class(base) end

---@type tactus.GeneratorClass
generate.BaseGenerator = {}

---Text by a language model.
---@type tactus.GeneratorClass
generate.LLMGenerator = {}

return generate
