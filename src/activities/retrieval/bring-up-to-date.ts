import { setImmediate as others } from 'node:timers/promises';
import type { Chunking } from '../../contract/retrieval/retrieval.js';
import { listTexts, readText, type CorpusFile } from './corpus-files.js';
import type { CorpusPlace } from './corpus-place.js';
import { cutText } from './cut-text.js';
import type { Embedder } from './embedder.js';
import type { IndexFile } from './index-file.js';
import { inTurn } from './index-turn.js';

/** How texts get into an index. */
export interface Indexing {
  corpus: CorpusPlace;
  chunking: Chunking;
  /** null: the index has no vectors. */
  embed: Embedder | null;
  signal: AbortSignal;
}

/**
 * Reads what has changed in a corpus since the index was made, file by file: what is done stays done, whatever ends it.
 * @throws TactusError retrieval_failed; Node's errors of files and of SQLite; the signal's reason
 */
export async function bringUpToDate(index: IndexFile, indexing: Indexing): Promise<void> {
  const { corpus, signal } = indexing;
  if (!differs(index, await listTexts(corpus, signal))) return;
  await inTurn(index, signal, async (stillMine) => {
    const now = await listTexts(corpus, signal);
    const paths = new Set(now.map(({ path }) => path));
    const known = new Map(index.files().map((file) => [file.path, file]));
    for (const path of known.keys()) if (!paths.has(path)) index.remove(path);
    for (const { path, stamp } of now) {
      const before = known.get(path);
      if (before?.stamp === stamp) continue;
      signal.throwIfAborted();
      stillMine();
      await readInto(index, indexing, path, before?.hash ?? null);
      // Work that waits for nothing keeps all else of the process waiting.
      await others();
    }
  });
}

async function readInto(
  index: IndexFile,
  { corpus, chunking, embed }: Indexing,
  path: string,
  before: string | null,
): Promise<void> {
  const file = await readText(corpus, path);
  if (file === null) {
    index.remove(path);
    return;
  }
  if (file.hash === before) {
    index.stamp(file);
    return;
  }
  const chunks = cutText(file.text, chunking);
  const vectors = embed === null ? [] : (await embed(chunks.map(({ text }) => text))).vectors;
  index.put(file, chunks, vectors);
}

function differs(index: IndexFile, now: readonly CorpusFile[]): boolean {
  const known = index.files();
  return (
    known.length !== now.length ||
    known.some(({ path, stamp }, i) => path !== now[i]?.path || stamp !== now[i]?.stamp)
  );
}
