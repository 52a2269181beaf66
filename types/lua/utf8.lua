---@meta _
-- Texts as characters of UTF-8.

---@class utf8lib
utf8 = {}

---A pattern that matches one character.
---@type string
utf8.charpattern = ""

---@param ... integer
---@return string
function utf8.char(...) end

---@param text string
---@param first? integer In bytes.
---@param last? integer
---@return integer ...
function utf8.codepoint(text, first, last) end

---Goes through the characters of a text.
---@param text string
---@return fun(): integer, integer
function utf8.codes(text) end

---How many characters; nil and the place of the first byte that is none.
---@param text string
---@param first? integer
---@param last? integer
---@return integer? length
---@return integer? position
function utf8.len(text, first, last) end

---Where the n-th character begins, in bytes.
---@param text string
---@param n integer
---@param from? integer
---@return integer? position
function utf8.offset(text, n, from) end
