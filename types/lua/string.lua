---@meta _
-- Lua's strings. `len`, `sub` and `reverse` count characters of UTF-8; `#text`, `find`, `byte` and patterns count bytes.

---@class stringlib
string = {}

---@param text string
---@param first? integer
---@param last? integer
---@return integer ... Bytes.
function string.byte(text, first, last) end

---@param byte? integer
---@param ... integer
---@return string
function string.char(byte, ...) end

---@param text string
---@param pattern string
---@param from? integer In bytes.
---@param isPlain? any
---@return integer? first
---@return integer? last
---@return any ... What it captured.
function string.find(text, pattern, from, isPlain) end

---@param format string
---@param ... any
---@return string
function string.format(format, ...) end

---@param text string
---@param pattern string
---@return fun(): string, any
function string.gmatch(text, pattern) end

---Nothing in the function may wait: no model, no person.
---@param text string
---@param pattern string
---@param replacement string|number|table|fun(...: string): any
---@param most? integer
---@return string
---@return integer count
function string.gsub(text, pattern, replacement, most) end

---How many characters: `("é"):len()` is 1, `#"é"` is 2.
---@param text string
---@return integer
function string.len(text) end

---@param text string
---@return string
function string.lower(text) end

---@param text string
---@param pattern string
---@param from? integer In bytes.
---@return any ... What it captured, or the whole match.
function string.match(text, pattern, from) end

---@param format string
---@param ... string|number
---@return string
function string.pack(format, ...) end

---@param format string
---@return integer
function string.packsize(format) end

---@param text string
---@param count integer
---@param separator? string
---@return string
function string.rep(text, count, separator) end

---The characters from behind.
---@param text string
---@return string
function string.reverse(text) end

---From one character to another: `("né"):sub(2, 2)` is `"é"`.
---@param text string
---@param first integer
---@param last? integer
---@return string
function string.sub(text, first, last) end

---@param format string
---@param text string
---@param from? integer
---@return any ...
function string.unpack(format, text, from) end

---@param text string
---@return string
function string.upper(text) end
