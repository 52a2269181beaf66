---@meta tactus.corpora.filesystem

local filesystem = {}

---A folder of texts.
---@type tactus.CorpusClass
filesystem.Corpus = {}

return filesystem
