import type { JsonObject } from '../json/json.js';
import type { RetryPolicy } from '../retries/retry-policy.js';

/** Ways to look texts up, as procedures name them. */
export const retrieverIds = [
  'embedding-index-file',
  'embedding-index-inmemory',
  'sqlite-full-text-search',
  'tf-vector',
] as const;

export type RetrieverId = (typeof retrieverIds)[number];

/** How a text is cut into what is looked up. Sizes in UTF-16 units, or in words. */
export type Chunking =
  { by: 'paragraph' } | { by: 'whole' } | { by: 'characters' | 'words'; size: number; overlap: number };

/** What makes vectors of texts: a hash, which knows nothing of their meaning, or a model that a worker loads. */
export type Embedding =
  | { by: 'hash'; dimensions: number; seed: string }
  | { by: 'model'; settings: JsonObject; dimensions: number | null };

/** A corpus, and how it is kept. */
export interface IndexSetup {
  id: RetrieverId;
  /** Folder of its texts, below the worker's folder of corpora. */
  corpus: string;
  chunking: Chunking;
  /** null: none is needed. */
  embedding: Embedding | null;
}

/** A retriever, as its procedure declares it. */
export interface RetrieverSetup extends IndexSetup {
  /** Characters of each text that are given; null: all of it. */
  snippet: number | null;
  /** Words of a question that full-text search passes over. */
  stopWords: string[];
  /** Time that one attempt may take, in ms. */
  timeoutMs: number;
  retry?: RetryPolicy;
  /** Where it is done; left out: where the run is. */
  taskQueue?: string;
}

/** How much of what is found is given. */
export interface RetrievalBounds {
  limit: number;
  offset: number;
  /** Of all texts together; one that no longer fits is passed over. null: any. */
  characters: number | null;
  /** Of one file; null: any. */
  perSource: number | null;
}

/** A question to a corpus: what the activity `retrieve` is given. */
export interface Retrieval {
  /** As the procedure calls it. */
  retriever: string;
  setup: RetrieverSetup;
  /** null: the index is brought up to date, and nothing is looked up. */
  query: string | null;
  bounds: RetrievalBounds;
}

/** One text that was found. */
export interface Evidence {
  /** `notes/kettles.md#120-480`: file and place in it, in UTF-16 units. */
  id: string;
  /** The file, below the corpus. */
  item_id: string;
  /** From 1. */
  rank: number;
  /** The higher the better; of embeddings the cosine. */
  score: number;
  text: string;
  span_start: number;
  span_end: number;
}

export interface RetrievalResult {
  evidence: Evidence[];
  /** `sha256:…` of what `sha256sum` says of the files of the corpus that was searched. */
  version: string;
  /** That of the model which made the vectors; null: there was none. */
  model_version: string | null;
  /** Files and pieces of text that were searched. */
  files: number;
  chunks: number;
}

/** Where corpora of retrievers lie: a folder, from the working folder. */
export const corporaFolderVariable = 'TACTUS_TEMPORAL_CORPORA_FOLDER';

/** Where their indexes are kept: likewise. */
export const indexesFolderVariable = 'TACTUS_TEMPORAL_INDEXES_FOLDER';
