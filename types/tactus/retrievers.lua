---@meta tactus.retrievers

local retrievers = {}

---@class tactus.CorpusClass
---@overload fun(config: tactus.CorpusConfig): tactus.Corpus
---@field new fun(self: tactus.CorpusClass, config: tactus.CorpusConfig): tactus.Corpus

---@class tactus.RetrieverClass
---@overload fun(config: tactus.RetrieverConfig): tactus.Retriever
---@field new fun(self: tactus.RetrieverClass, config: tactus.RetrieverConfig): tactus.Retriever

---What each module of its own gives, `tactus.retrievers.tf_vector` among them.
---@class tactus.RetrieverModule
---@field Corpus tactus.CorpusClass
---@field Retriever tactus.RetrieverClass

---By the meaning of paragraphs.
---@type tactus.RetrieverModule
retrievers.EmbeddingIndexFile = {}

---The same.
---@type tactus.RetrieverModule
retrievers.EmbeddingIndexInMemory = {}

---By words.
---@type tactus.RetrieverModule
retrievers.SqliteFullTextSearch = {}

---By how often words stand in files.
---@type tactus.RetrieverModule
retrievers.TfVector = {}

return retrievers
