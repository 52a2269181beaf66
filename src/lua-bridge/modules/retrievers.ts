/** `tactus.corpora.filesystem` and `tactus.retrievers.*`: the constructors, with what a module stands for filled in. */
export const retrieverBase = String.raw`
local function class(make, defaults)
  local function construct(config)
    local merged = {}
    for key, value in pairs(defaults or {}) do merged[key] = value end
    for key, value in pairs(config or {}) do merged[key] = value end
    return make(merged)
  end
  return setmetatable({new = function(_, config) return construct(config) end},
    {__call = function(_, config) return construct(config) end})
end

return {
  wrap_corpus = function(defaults) return class(Corpus, defaults) end,
  wrap_retriever = function(defaults) return class(Retriever, defaults) end,
}
`;

export const filesystemCorpus = String.raw`
return {Corpus = require("tactus.retrievers.base").wrap_corpus({})}
`;

export function retrieverOf(id: string): string {
  return String.raw`
local base = require("tactus.retrievers.base")
return {Corpus = base.wrap_corpus({}), Retriever = base.wrap_retriever({retriever_id = "${id}"})}
`;
}

export const retrievers = String.raw`
return {
  EmbeddingIndexFile = require("tactus.retrievers.embedding_index_file"),
  EmbeddingIndexInMemory = require("tactus.retrievers.embedding_index_inmemory"),
  SqliteFullTextSearch = require("tactus.retrievers.sqlite_full_text_search"),
  TfVector = require("tactus.retrievers.tf_vector"),
}
`;
