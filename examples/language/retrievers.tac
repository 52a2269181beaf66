-- Texts in folders, looked up by meaning, by words, or by how often words stand in them.

local filesystem = require("tactus.corpora.filesystem")
local counting = require("tactus.retrievers.tf_vector")

notes = Corpus { name = "notes", root = "notes" }
letters = filesystem.Corpus { corpus_root = "letters" }

by_meaning = Retriever {
  corpus = notes,
  retriever_id = "embedding-index-file",
  embedding_provider = {
    provider_id = "sentence_transformers",
    path = "all-MiniLM-L6-v2",
    dimensions = 384,
    pooling = "mean",
    normalize = true,
    max_length = 256,
    dtype = "fp32",
  },
  chunker = { chunker_id = "fixed-token-window", window_tokens = 120, overlap_tokens = 20 },
  limit = 5,
  offset = 0,
  maximum_total_characters = 4000,
  maximum_items_per_source = 2,
  join_with = "\n---\n",
  query = "{input.message}",
  timeout = "2h",
  retries = 1,
  task_queue = "texts",
}

by_words = Retriever {
  name = "by_words",
  corpus = "notes",
  retriever_type = "sqlite-full-text-search",
  pipeline = {
    index = {
      chunk_size = 800,
      chunk_overlap = 100,
      snippet_characters = 200,
      stop_words = "english",
    },
    query = { limit = 2, max_items_per_source = 1 },
  },
}

by_hash = Retriever {
  corpus = letters,
  retriever_id = "embedding-index-inmemory",
  retry = { attempts = 2 },
  configuration = {
    pipeline = {
      index = {
        embedding_provider = { provider_id = "hash-embedding", dimensions = 64, seed = "s" },
        chunker = {
          chunker_id = "fixed-char-window",
          window_characters = 400,
          overlap_characters = 40,
        },
      },
    },
  },
}

by_counts = counting.Retriever { corpus = letters }

Procedure {
  output = { found = field.array {}, from = field.string {}, count = field.integer {} },
  function()
    local held = by_words.index()
    local warranty = by_words("warranty")
    local few = by_meaning { query = "How long is the warranty?", limit = 1 }
    local best = warranty.evidence[1]
    Log.info("Looked up", {
      query = warranty.query,
      version = warranty.version,
      by = few.model_version,
      index = { held.version, held.model_version, held.files, held.chunks },
      place = { best.id, best.rank, best.score, best.span_start, best.span_end },
      others = { by_hash("x").text, by_counts("x").text, notes.name, by_words.name },
    })
    return {
      found = { best.text, few.text },
      from = best.item_id,
      count = warranty.evidence_count,
    }
  end,
}

Mocks {
  by_words = { returns = { { text = "It is two years.", item_id = "warranty.md", score = 3.2 } } },
  by_meaning = { returns = "Two years." },
}

Specification([[
Feature: Retrievers
  Scenario: the warranty is looked up
    When the procedure runs
    Then the output found should be ["It is two years.", "Two years."]
    And the output from should be "warranty.md"
    And the output count should be 1
]])
