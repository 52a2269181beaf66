import { readDuration } from '../../contract/time/duration.js';
import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import {
  retrieverIds,
  type RetrievalBounds,
  type RetrieverId,
  type RetrieverSetup,
} from '../../contract/retrieval/retrieval.js';
import { DeclaredList } from '../kernel/declared-list.js';
import { readRetry } from '../values/retry-policy.js';
import { usualBounds, readBounds } from './bounds.js';
import { readChunking } from './chunking.js';
import { readEmbedding } from './embedding.js';
import { stopWordsOf } from './stop-words.js';
import { wrong } from './wrong.js';

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
    throw wrong('Corpus: root must be the folder of its texts, such as "notes"');
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
  if (corpus === null) throw wrong(`${what}: corpus must be a Corpus, or the name of one`);
  const id = readId(fields, what);
  const { index, query: querying } = partsOf(fields);
  const { task_queue: taskQueue, timeout, query, join_with: joinWith } = { ...fields, ...querying };
  if (taskQueue !== undefined && (typeof taskQueue !== 'string' || taskQueue.trim() === ''))
    throw wrong(`${what}: task_queue must be the name of a task queue`);
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

function readId(fields: JsonObject, what: string): RetrieverId {
  const said = fields['retriever_id'] ?? fields['retriever_type'] ?? null;
  const id = retrieverIds.find((each) => each === said);
  if (id === undefined)
    throw wrong(
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
  throw wrong(`${what}: snippet_characters must be an integer above 0`);
}

function readName(name: JsonValue | undefined, what: string): string | null {
  if (name === undefined || name === null) return null;
  if (typeof name === 'string' && name.trim() !== '') return name.trim();
  throw wrong(`${what}: name must be a text that isn't empty`);
}
