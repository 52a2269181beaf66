---@meta _
-- Texts that a procedure looks things up in.

---A folder of texts.
---@class tactus.Corpus
---@field name? string

---@class tactus.CorpusConfig
---@field name? string
---@field root? string The folder, below the worker's folder of corpora.
---@field corpus_root? string The same.
---@field configuration? table Taken, without effect.
---@field description? string Taken, without effect.

---Declares a folder of texts: `.md`, `.txt`, `.rst`, `.csv`, `.tsv` and `.html`, in it and in folders below.
---```lua
---notes = Corpus { root = "notes" }
---```
---@param config tactus.CorpusConfig
---@return tactus.Corpus
function Corpus(config) end

---What makes vectors of texts.
---@class tactus.EmbeddingProvider
---@field provider_id "sentence_transformers"|"hash-embedding" The second knows nothing of what texts mean: for tests.
---@field path? string Of `"sentence_transformers"`: the model's folder, below the worker's folder of models.
---@field dimensions? integer How many numbers a vector has; needed with `"hash-embedding"`.
---@field seed? string Of `"hash-embedding"`.
---@field dtype? string Of `"sentence_transformers"`, as of a `Model`.
---@field pooling? string Of `"sentence_transformers"`, as of a `Model`.
---@field normalize? boolean Of `"sentence_transformers"`, as of a `Model`; vectors are compared by their direction in any case.
---@field max_length? integer Of `"sentence_transformers"`, as of a `Model`.

---How texts are cut into what is looked up.
---@class tactus.Chunker
---@field chunker_id "paragraph"|"fixed-char-window"|"fixed-token-window"
---@field window_characters? integer
---@field overlap_characters? integer
---@field window_tokens? integer Words.
---@field overlap_tokens? integer

---What an index holds.
---@class tactus.RetrieverIndex
---@lenient
---@field embedding_provider? tactus.EmbeddingProvider Of `"embedding-index-file"` and `"embedding-index-inmemory"`, which need one.
---@field chunker? tactus.Chunker Of both: paragraphs without it.
---@field chunk_size? integer Of `"sqlite-full-text-search"`, in characters: 800 without it.
---@field chunk_overlap? integer 200 without it.
---@field snippet_characters? integer How much is given of the beginning of each text; 400 of `"sqlite-full-text-search"` without it, else all of it.
---@field stop_words? "english"|string[] Of `"sqlite-full-text-search"`: words of a question that are passed over.

---How much of what is found is given.
---@class tactus.RetrieverQuery
---@lenient
---@field limit? integer Texts, 3 without it.
---@field offset? integer Texts before them that are passed over.
---@field maximum_total_characters? integer Of all texts together: one that no longer fits is passed over.
---@field maximum_items_per_source? integer Texts of one file.
---@field max_items_per_source? integer The same.
---@field join_with? string Stands between the texts; an empty line without it.

---@class tactus.RetrieverPipeline
---@field index? tactus.RetrieverIndex
---@field query? tactus.RetrieverQuery

---What a retriever looks things up in, and how. What `index` and `query` of its pipeline may say, it may say itself.
---@class tactus.RetrieverConfig: tactus.RetrieverIndex, tactus.RetrieverQuery
---@lenient
---@field name? string
---@field corpus tactus.Corpus|string
---@field retriever_id? "embedding-index-file"|"embedding-index-inmemory"|"sqlite-full-text-search"|"tf-vector"
---@field retriever_type? string The same.
---@field configuration? { pipeline?: tactus.RetrieverPipeline }
---@field pipeline? tactus.RetrieverPipeline
---@field index? tactus.RetrieverIndex
---@field query? string What a `Context` looks up, as a template; what its agent is asked without it.
---@field timeout? tactus.Duration For one attempt, with making the index: an hour without it.
---@field retries? integer How often it is tried again.
---@field retry? tactus.RetryPolicy
---@field task_queue? string Where the corpus is, if that isn't where the run is.

---One text that was found.
---@class tactus.Evidence
---@field id string The file, and the place in it: `kettles.md#120-480`.
---@field item_id string The file, below the corpus.
---@field rank integer From 1.
---@field score number The higher the better; of embeddings the cosine.
---@field text string
---@field span_start integer
---@field span_end integer

---What was found.
---@class tactus.Retrieved
---@field query string
---@field text string The texts, one after the other.
---@field evidence tactus.Evidence[] The best first.
---@field evidence_count integer
---@field version string `sha256:…` of the corpus that was searched.
---@field model_version? string `sha256:…` of the model that made the vectors.

---@class tactus.RetrieverQuestion: tactus.RetrieverQuery
---@field query string

---What an index holds.
---@class tactus.Indexed
---@field version string `sha256:…` of the corpus.
---@field model_version? string
---@field files integer
---@field chunks integer

---@class tactus.Retriever
---@overload fun(query: string|tactus.RetrieverQuestion): tactus.Retrieved
---@field name string
---@field index fun(): tactus.Indexed Brings the index up to date, and looks nothing up.

---Declares a retriever. What it finds is a checkpoint: a replay sees what was known then.
---```lua
---search = Retriever { corpus = notes, retriever_id = "sqlite-full-text-search", limit = 2 }
---local found = search("warranty")
---print(found.text, found.evidence[1].item_id)
---```
---@param config tactus.RetrieverConfig
---@return tactus.Retriever
function Retriever(config) end
