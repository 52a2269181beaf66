import { readDuration } from '../../contract/time/duration.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import {
  retrieverIds,
  type Chunking,
  type Embedding,
  type RetrievalBounds,
  type RetrieverId,
  type RetrieverSetup,
} from '../../contract/retrieval/retrieval.js';
import { DeclaredList, readRetry, textsOf } from '../kernel/index.js';
import { TactusError } from '../../contract/errors.js';

/** `Corpus {root = "notes"}`. */
export interface CorpusDeclaration {
  name: string | null;
  /** Its folder, below the worker's folder of corpora. */
  root: string;
}

/** `Retriever {corpus = notes, …}`. */
export interface RetrieverDeclaration {
  name: string | null;
  setup: RetrieverSetup;
  bounds: RetrievalBounds;
  /** What a Context looks up, as a template; null: what its agent is asked. */
  query: string | null;
  /** Stands between texts. */
  joinWith: string;
}

export const declaredCorpora = new DeclaredList<CorpusDeclaration>();
export const declaredRetrievers = new DeclaredList<RetrieverDeclaration>();

/** An index of a large corpus takes its time when it is first made. In seconds. */
const usualSeconds = 3_600;

/** @throws TactusError source_invalid */
export function readCorpus(config: JsonValue): CorpusDeclaration {
  const { root, corpus_root: corpusRoot, name } = isObject(config) ? config : {};
  const folder = root ?? corpusRoot ?? null;
  if (typeof folder !== 'string' || folder.trim() === '')
    throw retrievalError('Corpus: root must be the folder of its texts, such as "notes"');
  return { name: readName(name, 'Corpus'), root: folder };
}

/**
 * Reads the table of a retriever: what it says itself, or in `configuration.pipeline` or `pipeline` under `index` and `query`.
 * @param corpus what it is about, where its table says so
 * @throws TactusError source_invalid
 */
export function readRetriever(config: JsonValue, corpus: CorpusDeclaration | null): RetrieverDeclaration {
  const fields = isObject(config) ? config : {};
  const name = readName(fields['name'], 'Retriever');
  const what = `Retriever${name === null ? '' : ` "${name}"`}`;
  if (corpus === null) throw retrievalError(`${what}: corpus must be a Corpus, or the name of one`);
  const id = readId(fields, what);
  const { index, query: querying } = partsOf(fields);
  const { task_queue: taskQueue, timeout, query, join_with: joinWith } = { ...fields, ...querying };
  if (taskQueue !== undefined && (typeof taskQueue !== 'string' || taskQueue.trim() === ''))
    throw retrievalError(`${what}: task_queue must be the name of a task queue`);
  const retry = readRetry(fields, what, 'source_invalid', true);
  return {
    name,
    setup: {
      ...{ id, corpus: corpus.root, chunking: readChunking(id, index, what) },
      embedding: readEmbedding(id, index, what),
      snippet: readSnippet(id, index['snippet_characters'] ?? null, what),
      stopWords: stopWordsOf(index['stop_words'] ?? null, what),
      timeoutMs: readDuration(timeout ?? usualSeconds, `${what}: timeout`, 'source_invalid'),
      ...(retry === null ? {} : { retry }),
      ...(taskQueue === undefined ? {} : { taskQueue: taskQueue.trim() }),
    },
    bounds: readBounds({ ...fields, ...querying }, usualBounds, what),
    query: typeof query === 'string' && query !== '' ? query : null,
    joinWith: typeof joinWith === 'string' ? joinWith : '\n\n',
  };
}

const usualBounds: RetrievalBounds = { limit: 3, offset: 0, characters: null, perSource: null };

/** What is looked for is ten times as much, and the index gives 4,096 at most. */
const most = 400;

/**
 * Reads `{limit = 3, offset = 0, maximum_total_characters = 1200, maximum_items_per_source = 1}`; what it doesn't say is as
 * `before`.
 * @throws TactusError source_invalid
 */
export function readBounds(fields: JsonObject, before: RetrievalBounds, what: string): RetrievalBounds {
  const perSource = fields['maximum_items_per_source'] ?? fields['max_items_per_source'];
  const bounds = {
    limit: count(fields['limit'], 1, 'limit', what) ?? before.limit,
    offset: count(fields['offset'], 0, 'offset', what) ?? before.offset,
    characters:
      count(fields['maximum_total_characters'], 1, 'maximum_total_characters', what) ?? before.characters,
    perSource: count(perSource, 1, 'maximum_items_per_source', what) ?? before.perSource,
  };
  if (bounds.limit + bounds.offset > most)
    throw retrievalError(`${what}: limit and offset come to more than ${most}`);
  return bounds;
}

function count(value: JsonValue | undefined, least: number, name: string, what: string): number | null {
  if (value === undefined || value === null) return null;
  if (Number.isInteger(value) && Number(value) >= least) return Number(value);
  throw retrievalError(`${what}: ${name} must be an integer from ${least}`);
}

/** A declaration says what can't be. */
function retrievalError(problem: string): TactusError {
  return new TactusError('source_invalid', problem);
}

/** Those that the reference passes over. */
const english =
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with';

/**
 * `stop_words = "english"`, or a list: what full-text search passes over in a question.
 * @throws TactusError source_invalid
 */
function stopWordsOf(said: JsonValue, what: string): string[] {
  if (said === null) return [];
  if (said === 'english') return english.split(' ');
  const words = Array.isArray(said) && said.every((each) => typeof each === 'string') ? textsOf(said) : null;
  if (words === null) throw retrievalError(`${what}: stop_words must be "english", or a list of words`);
  return words.map((word) => word.trim().toLowerCase());
}

const usualSeed = 'biblicus';
const mostDimensions = 8_192;

/**
 * What makes vectors: `embedding_provider = {provider_id = "sentence_transformers", path = "all-MiniLM-L6-v2"}`, or the hash that the
 * reference has for tests. null where the retriever needs none.
 * @throws TactusError source_invalid
 */
function readEmbedding(id: RetrieverId, index: JsonObject, what: string): Embedding | null {
  if (!id.startsWith('embedding-index')) return null;
  const provider = index['embedding_provider'] ?? null;
  if (!isObject(provider))
    throw retrievalError(
      `${what}: embedding_provider must be a table such as { provider_id = "sentence_transformers", path = "all-MiniLM-L6-v2" }`,
    );
  const { provider_id: by, dimensions: said, seed, ...settings } = provider;
  const dimensions = readDimensions(said ?? null, what);
  if (by === 'hash-embedding') {
    if (dimensions === null) throw retrievalError(`${what}: hash-embedding needs dimensions`);
    return { by: 'hash', dimensions, seed: typeof seed === 'string' ? seed : usualSeed };
  }
  if (by !== 'sentence_transformers')
    throw retrievalError(
      `${what}: the provider_id ${JSON.stringify(by ?? null)} is not known; there are sentence_transformers, hash-embedding`,
    );
  const { path } = settings;
  if (typeof path !== 'string' || path.trim() === '')
    throw retrievalError(`${what}: embedding_provider needs path, the folder of the model`);
  return { by: 'model', settings, dimensions };
}

function readDimensions(said: JsonValue, what: string): number | null {
  if (said === null) return null;
  if (Number.isInteger(said) && Number(said) > 0 && Number(said) <= mostDimensions) return Number(said);
  throw retrievalError(`${what}: dimensions must be an integer from 1 to ${mostDimensions}`);
}

function readId(fields: JsonObject, what: string): RetrieverId {
  const said = fields['retriever_id'] ?? fields['retriever_type'] ?? null;
  const id = retrieverIds.find((each) => each === said);
  if (id === undefined)
    throw retrievalError(
      `${what}: the retriever_id ${JSON.stringify(said)} is not known; there are ${retrieverIds.join(', ')}`,
    );
  return id;
}

/** What is said of the index and of the questions, wherever the table says it. */
function partsOf(fields: JsonObject): { index: JsonObject; query: JsonObject } {
  const tableIn = (table: JsonObject, key: string): JsonObject => {
    const held = table[key] ?? null;
    return isObject(held) ? held : {};
  };
  const configuration = tableIn(fields, 'configuration');
  const pipeline = { ...tableIn(fields, 'pipeline'), ...tableIn(configuration, 'pipeline') };
  return {
    index: { ...fields, ...tableIn(fields, 'index'), ...configuration, ...tableIn(pipeline, 'index') },
    query: tableIn(pipeline, 'query'),
  };
}

/** Full-text search shows the beginning of a piece, as the reference does. */
const usualSnippet = 400;

function readSnippet(id: RetrieverId, said: JsonValue, what: string): number | null {
  if (said === null) return id === 'sqlite-full-text-search' ? usualSnippet : null;
  if (Number.isInteger(said) && Number(said) > 0) return Number(said);
  throw retrievalError(`${what}: snippet_characters must be an integer above 0`);
}

function readName(name: JsonValue | undefined, what: string): string | null {
  if (name === undefined || name === null) return null;
  if (typeof name === 'string' && name.trim() !== '') return name.trim();
  throw retrievalError(`${what}: name must be a text that isn't empty`);
}

/**
 * How texts are cut: as a whole for `tf-vector`, by `chunk_size` and `chunk_overlap` for full-text search, else as `chunker` says,
 * by paragraphs without it.
 * @throws TactusError source_invalid
 */
function readChunking(id: RetrieverId, index: JsonObject, what: string): Chunking {
  if (id === 'tf-vector') return { by: 'whole' };
  if (id === 'sqlite-full-text-search')
    return windows(
      'characters',
      { size: index['chunk_size'] ?? 800, overlap: index['chunk_overlap'] ?? 200 },
      what,
    );
  const chunker = index['chunker'] ?? null;
  if (chunker === null) return { by: 'paragraph' };
  if (!isObject(chunker)) throw retrievalError(`${what}: chunker must be a table with chunker_id`);
  const { chunker_id: said = null } = chunker;
  switch (typeof said === 'string' ? said : '') {
    case 'paragraph':
      return { by: 'paragraph' };
    case 'fixed-char-window':
      return windows(
        'characters',
        { size: chunker['window_characters'] ?? null, overlap: chunker['overlap_characters'] ?? 0 },
        what,
      );
    case 'fixed-token-window':
      return windows(
        'words',
        { size: chunker['window_tokens'] ?? null, overlap: chunker['overlap_tokens'] ?? 0 },
        what,
      );
    default:
      throw retrievalError(
        `${what}: the chunker_id ${JSON.stringify(said)} is not known; there are paragraph, fixed-char-window, fixed-token-window`,
      );
  }
}

function windows(
  by: 'characters' | 'words',
  { size, overlap }: { size: JsonValue; overlap: JsonValue },
  what: string,
): Chunking {
  if (!Number.isInteger(size) || Number(size) < 1)
    throw retrievalError(`${what}: a window of texts must have a size, an integer above 0`);
  if (!Number.isInteger(overlap) || Number(overlap) < 0 || Number(overlap) >= Number(size))
    throw retrievalError(`${what}: windows of texts must overlap by less than their size of ${Number(size)}`);
  return { by, size: Number(size), overlap: Number(overlap) };
}
