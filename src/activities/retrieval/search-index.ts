import { createHash } from 'node:crypto';
import { TactusError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json/json.js';
import type {
  Embedding,
  Evidence,
  RetrievalBounds,
  RetrieverSetup,
} from '../../contract/retrieval/retrieval.js';
import { compareTexts } from '../../contract/text/texts.js';
import type { ActivityDeps } from '../activity-deps.js';
import { runInHost, type ModelHost } from '../predictions/served/ask-host.js';
import { Fault } from '../retries/failures.js';
import { bytesOf, termsOf, type IndexFile } from './index-file.js';

/** A chunk that answers a question, as the index has it. */
interface Found {
  path: string;
  start: number;
  end: number;
  text: string;
  score: number;
}

/** A question, as the kind of index takes it. */
export interface Question {
  text: string;
  /** null: the index has no vectors. */
  vector: Float32Array | null;
  stopWords: RetrieverSetup['stopWords'];
}

/** The extension gives no more neighbours. */
const mostNeighbours = 4_096;

/** The chunks that answer best, at most so many, the best first; of those that are as good, in the order of their places. */
export function searchIndex(index: IndexFile, question: Question, most: number): Found[] {
  const scores = scoresIn(index, question, most);
  const best = [...scores].sort(([, a], [, b]) => b - a).slice(0, most);
  return best
    .flatMap(([chunk, score]) => {
      const [row] = index.all<Omit<Found, 'score'>>(
        `SELECT path, first AS start, last AS "end", text FROM chunks JOIN files ON files.id = file WHERE chunks.id = ?`,
        chunk,
      );
      return row === undefined ? [] : [{ ...row, score }];
    })
    .sort((a, b) => b.score - a.score || compareTexts(a.path, b.path) || a.start - b.start);
}

function scoresIn(
  index: IndexFile,
  { text, vector, stopWords }: Question,
  most: number,
): Map<number, number> {
  if (vector !== null) return nearest(index, vector, most);
  return index.kind === 'words' ? matching(index, text, stopWords, most) : similar(index, text);
}

/** By the cosine: of those that the extension finds it is computed anew, as exactly as the numbers are. */
function nearest(index: IndexFile, vector: Float32Array, most: number): Map<number, number> {
  const rows = index.all<{ chunk: number; embedding: Uint8Array }>(
    'SELECT chunk, embedding FROM vectors WHERE embedding MATCH ? AND k = ?',
    ...[bytesOf(vector), BigInt(Math.min(most, mostNeighbours))],
  );
  return new Map(rows.map(({ chunk, embedding }) => [chunk, cosine(vector, numbersOf(embedding))]));
}

function numbersOf(bytes: Uint8Array): Float32Array {
  // Where the numbers begin in memory is up to SQLite.
  return new Float32Array(bytes.slice().buffer);
}

function cosine(a: Float32Array, b: Float32Array): number {
  const { dot, ofA, ofB } = a.reduce(
    (sums, each, i) => {
      const other = b[i] ?? 0;
      return { dot: sums.dot + each * other, ofA: sums.ofA + each * each, ofB: sums.ofB + other * other };
    },
    { dot: 0, ofA: 0, ofB: 0 },
  );
  return ofA === 0 || ofB === 0 ? 0 : dot / Math.sqrt(ofA * ofB);
}

/** Chunks that have every word of the question, by BM25. */
function matching(
  index: IndexFile,
  text: string,
  stopWords: readonly string[],
  most: number,
): Map<number, number> {
  const words = (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).filter(
    (word) => !stopWords.includes(word),
  );
  if (words.length === 0) return new Map();
  const rows = index.all<{ chunk: number; score: number }>(
    'SELECT rowid AS chunk, -bm25(words) AS score FROM words WHERE words MATCH ? ORDER BY bm25(words), rowid LIMIT ?',
    ...[words.map((word) => `"${word}"`).join(' '), BigInt(most)],
  );
  return new Map(rows.map(({ chunk, score }) => [chunk, score]));
}

/** By the cosine of how often words stand in the texts. */
function similar(index: IndexFile, text: string): Map<number, number> {
  const asked = termsOf(text);
  const products = new Map<number, number>();
  let squared = 0;
  for (const [term, count] of asked) {
    squared += count * count;
    for (const row of index.all<{ chunk: number; count: number }>(
      'SELECT chunk, count FROM terms WHERE term = ?',
      term,
    ))
      products.set(row.chunk, (products.get(row.chunk) ?? 0) + count * row.count);
  }
  const scores = new Map<number, number>();
  for (const [chunk, product] of products) {
    const [norm] = index.all<{ squared: number }>('SELECT squared FROM norms WHERE chunk = ?', chunk);
    scores.set(chunk, product / Math.sqrt(squared * (norm?.squared ?? 1)));
  }
  return scores;
}

/** How many are looked for, so that enough are left where some don't count. */
export function candidatesOf({ limit, offset }: RetrievalBounds): number {
  return (limit + offset) * 10;
}

/** What whoever asks is given of what was found, best first. */
export function withinBounds(
  found: readonly Found[],
  { limit, offset, characters, perSource }: RetrievalBounds,
  snippet: number | null,
): Evidence[] {
  const given: Evidence[] = [];
  const ofSources = new Map<string, number>();
  let length = 0;
  for (const { path, start, end, text, score } of found.slice(offset)) {
    if (given.length === limit) break;
    const count = ofSources.get(path) ?? 0;
    if (perSource !== null && count >= perSource) continue;
    const shown = snippet === null ? text : beginning(text, snippet);
    if (characters !== null && length + shown.length > characters) continue;
    ofSources.set(path, count + 1);
    length += shown.length;
    given.push({
      ...{ id: `${path}#${start}-${end}`, item_id: path, rank: given.length + 1, score },
      ...{ text: shown, span_start: start, span_end: end },
    });
  }
  return given;
}

/** Not half of a character at its end. */
function beginning(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

/** Texts that a model is asked about at once: others have their turn in between. */
const atOnce = 64;
/** What the index takes. */
const mostDimensions = 8_192;

interface Embedded {
  /** Of length 1, or of nothing but zeros; all of as many numbers. */
  vectors: Float32Array[];
  /** Of the model; null: there is none. */
  version: string | null;
}

/**
 * Makes vectors of texts, in order.
 * @throws TactusError retrieval_failed for what is no vector; whatever the model throws
 */
export type Embedder = (texts: readonly string[]) => Promise<Embedded>;

interface EmbedderDeps {
  deps: ActivityDeps;
  host: ModelHost;
  /** Of whoever asks. */
  retriever: string;
  signal: AbortSignal;
}

export function embedderOf(embedding: Embedding, { deps, host, retriever, signal }: EmbedderDeps): Embedder {
  if (embedding.by === 'hash') {
    const { dimensions, seed } = embedding;
    return async (texts) => ({
      vectors: texts.map((text) => normalized(hashed(text, dimensions, seed))),
      version: null,
    });
  }
  const { settings, dimensions } = embedding;
  return async (texts) => {
    const vectors: Float32Array[] = [];
    let version: string | null = null;
    while (vectors.length < texts.length) {
      signal.throwIfAborted();
      const inputs = texts.slice(vectors.length, vectors.length + atOnce);
      const backend = { type: 'sentence_transformers', settings, timeoutMs: 0 } as const;
      const answer = await runInHost({
        ...{ deps, host, signal, idempotencyKey: '' },
        run: { model: retriever, backend, inputs },
      });
      if (version !== null && answer.version !== version) throw changed();
      ({ version } = answer);
      for (const output of answer.outputs) vectors.push(normalized(vectorOf(output, dimensions)));
    }
    const [first] = vectors;
    if (vectors.some(({ length }) => length !== first?.length))
      throw new TactusError('retrieval_failed', 'the model gives vectors of different lengths');
    return { vectors, version };
  };
}

/** The next attempt has the new one for all. */
export function changed(): Fault {
  return new Fault('the model has changed while texts were indexed with it', { retryable: true });
}

function vectorOf(output: JsonValue, dimensions: number | null): number[] {
  if (!Array.isArray(output) || output.length === 0 || !output.every((each) => typeof each === 'number'))
    throw new TactusError('retrieval_failed', 'the model gives no list of numbers for a text');
  if (dimensions !== null && output.length !== dimensions)
    throw new TactusError(
      'retrieval_failed',
      `embedding_provider says ${dimensions} dimensions, and the model gives ${output.length}`,
    );
  if (output.length > mostDimensions)
    throw new TactusError(
      'retrieval_failed',
      `the model gives ${output.length} numbers for a text; an index takes ${mostDimensions}`,
    );
  return output;
}

/** The bytes of SHA-256 after SHA-256, from -1 to 1: the same for the same text, and near to no other. */
function hashed(text: string, dimensions: number, seed: string): number[] {
  const numbers: number[] = [];
  for (let count = 0; numbers.length < dimensions; count++) {
    const digest = createHash('sha256').update(`${seed}:${count}:${text}`).digest();
    for (const byte of digest) numbers.push((byte / 255) * 2 - 1);
  }
  return numbers.slice(0, dimensions);
}

function normalized(numbers: readonly number[]): Float32Array {
  const length = Math.sqrt(numbers.reduce((sum, each) => sum + each * each, 0));
  return Float32Array.from(numbers, (each) => (length === 0 ? 0 : each / length));
}
