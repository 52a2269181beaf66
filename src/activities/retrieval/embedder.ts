import { createHash } from 'node:crypto';
import { TactusError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json/json.js';
import type { Embedding } from '../../contract/retrieval/retrieval.js';
import type { ActivityDeps } from '../activity-deps.js';
import { Fault } from '../retries/failures.js';
import { runInHost, type ModelHost } from '../predictions/served/ask-host.js';

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

export interface EmbedderDeps {
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
