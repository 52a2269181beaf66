import { isObject, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import type { Embedding, RetrieverId } from '../../contract/retrieval/retrieval.js';
import { wrong } from './wrong.js';

const usualSeed = 'biblicus';
const mostDimensions = 8_192;

/**
 * What makes vectors: `embedding_provider = {provider_id = "sentence_transformers", path = "all-MiniLM-L6-v2"}`, or the hash that the
 * reference has for tests. null where the retriever needs none.
 * @throws TactusError source_invalid
 */
export function readEmbedding(id: RetrieverId, index: JsonObject, what: string): Embedding | null {
  if (!id.startsWith('embedding-index')) return null;
  const provider = index['embedding_provider'] ?? null;
  if (!isObject(provider))
    throw wrong(
      `${what}: embedding_provider must be a table such as { provider_id = "sentence_transformers", path = "all-MiniLM-L6-v2" }`,
    );
  const { provider_id: by, dimensions: said, seed, ...settings } = provider;
  const dimensions = readDimensions(said ?? null, what);
  if (by === 'hash-embedding') {
    if (dimensions === null) throw wrong(`${what}: hash-embedding needs dimensions`);
    return { by: 'hash', dimensions, seed: typeof seed === 'string' ? seed : usualSeed };
  }
  if (by !== 'sentence_transformers')
    throw wrong(
      `${what}: the provider_id ${JSON.stringify(by ?? null)} is not known; there are sentence_transformers, hash-embedding`,
    );
  const { path } = settings;
  if (typeof path !== 'string' || path.trim() === '')
    throw wrong(`${what}: embedding_provider needs path, the folder of the model`);
  return { by: 'model', settings, dimensions };
}

function readDimensions(said: JsonValue, what: string): number | null {
  if (said === null) return null;
  if (Number.isInteger(said) && Number(said) > 0 && Number(said) <= mostDimensions) return Number(said);
  throw wrong(`${what}: dimensions must be an integer from 1 to ${mostDimensions}`);
}
