import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as others, setTimeout as wait } from 'node:timers/promises';
import type { RetrieveInput } from '../../contract/activities.js';
import { TactusError } from '../../contract/errors.js';
import type { Chunking, Retrieval, RetrievalResult } from '../../contract/retrieval/retrieval.js';
import type { ActivityDeps } from '../activity-deps.js';
import {
  assertResultFits,
  atEdge,
  attemptSignal,
  Fault,
  isTimeout,
  untilAborted,
} from '../retries/failures.js';
import { folderName, ownFiles } from '../files/file-fault.js';
import { withHeartbeat } from '../retries/heartbeat.js';
import { secretsOf } from '../secrets/secrets.js';
import type { ModelHost } from '../predictions/served/ask-host.js';
import { IndexFile, indexName } from './index-file.js';
import {
  candidatesOf,
  changed,
  embedderOf,
  searchIndex,
  withinBounds,
  type Embedder,
} from './search-index.js';
import {
  cutText,
  findCorpus,
  listTexts,
  readText,
  type CorpusFile,
  type CorpusPlace,
} from './corpus-files.js';

/** SQLite's codes for a file that others have locked: another attempt may find it free. */
const busy = [5, 6];
/** For a damaged file, and for one that is no database. */
const broken = [11, 26];

/** What went wrong with an index, in words: the library's name no file. All else as it is. */
function indexFault(error: unknown, name: string, folder: string): unknown {
  const { code, errcode, errstr } = error as { code?: string; errcode?: number; errstr?: string };
  const where = `${name} (folder of indexes: ${folderName(folder, '')})`;
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM')
    return new TactusError('retrieval_failed', `the index ${where} can't be written: ${code}`);
  if (code !== 'ERR_SQLITE_ERROR' || errcode === undefined) return error;
  const primary = errcode & 0xff;
  const said = errstr ?? `SQLite's code ${errcode}`;
  if (busy.includes(primary)) return new Fault(`the index ${where} is in use: ${said}`, { retryable: true });
  if (broken.includes(primary))
    return new TactusError(
      'retrieval_failed',
      `the index ${where} is damaged (${said}): delete it, and it is made anew`,
    );
  return new Fault(`the index ${where} can't be used: ${said}`, { retryable: true });
}

/** Where indexes are kept, in the working folder, unless somebody says otherwise. */
const usualFolder = join('.tactus-temporal', 'indexes');

/**
 * Looks something up in a corpus, once, whose index is made or brought up to date before.
 * @throws ApplicationFailure of type retrieval_failed, file_failed, predict_failed, missing_package or payload_too_large
 */
export function retrieve(
  deps: ActivityDeps,
  host: ModelHost,
  { retrieval, tries }: RetrieveInput,
): Promise<RetrievalResult> {
  const { retriever, setup } = retrieval;
  const subject = `Retriever ${retriever}`;
  const edge = { code: 'retrieval_failed', subject, secrets: () => secretsOf(deps.env), tries } as const;
  return atEdge(edge, () =>
    withHeartbeat(async () => {
      const signal = attemptSignal(setup.timeoutMs);
      try {
        const asked = look(deps, host, retrieval, signal);
        return assertResultFits(await untilAborted(asked, signal), `What ${subject} found`);
      } catch (error) {
        if (!isTimeout(signal)) throw error;
        throw new Fault(`gave no answer within ${setup.timeoutMs} ms`, { retryable: true, cause: error });
      }
    }),
  );
}

async function look(
  deps: ActivityDeps,
  host: ModelHost,
  retrieval: Retrieval,
  signal: AbortSignal,
): Promise<RetrievalResult> {
  const { retriever, setup, query } = retrieval;
  const { embedding, chunking } = setup;
  const folders = await foldersFor(deps, setup.corpus);
  const corpus = await findCorpus(folders, setup.corpus);
  const embed = embedding === null ? null : embedderOf(embedding, { deps, host, retriever, signal });
  // The vectors of an index are of one model: what it is now is known by what it says.
  const asked = embed === null ? null : await embed([query ?? '']);
  const vector = asked?.vectors[0] ?? null;
  const version = asked?.version ?? null;
  const identity = { corpus, setup, model: vector === null ? null : { version, dimensions: vector.length } };
  const folder = folders.indexesFolder ?? join(folders.workingFolder ?? folders.filesRoot, usualFolder);
  try {
    const index = await IndexFile.open(folder, identity);
    try {
      const same = embed === null ? null : ofVersion(embed, version);
      await bringUpToDate(index, { corpus, chunking, embed: same, signal });
      return index.read(() => answer(index, corpus, retrieval, vector, version));
    } finally {
      index.close();
    }
  } catch (error) {
    throw indexFault(error, indexName(identity), folder);
  }
}

/** A corpus that lies in a run's own folder is read there, and its index is kept there: it goes with the folder. */
async function foldersFor(deps: ActivityDeps, corpus: string): Promise<ActivityDeps> {
  const own = deps.corporaFolder === undefined ? ownFiles(deps) : null;
  if (own === null) return deps;
  const isThere = await stat(join(own, corpus)).then(
    () => true,
    () => false,
  );
  return isThere ? { ...deps, filesRoot: own, indexesFolder: join(own, usualFolder) } : deps;
}

/** @throws Fault, retryable, where the texts were embedded by another model than the question */
function ofVersion(embed: Embedder, version: string | null): Embedder {
  return async (texts) => {
    const embedded = await embed(texts);
    if (texts.length > 0 && embedded.version !== version) throw changed();
    return embedded;
  };
}

function answer(
  index: IndexFile,
  corpus: CorpusPlace,
  { query, setup, bounds }: Retrieval,
  vector: Float32Array | null,
  version: string | null,
): RetrievalResult {
  const counts = index.counts();
  if (counts.chunks === 0)
    throw new TactusError(
      'retrieval_failed',
      counts.files === 0
        ? `the corpus ${corpus.name} has no files of text: .md, .txt, .rst, .csv, .tsv or .html`
        : `the files of the corpus ${corpus.name} are empty`,
    );
  const question = { text: query ?? '', vector, stopWords: setup.stopWords };
  const found = query === null ? [] : searchIndex(index, question, candidatesOf(bounds));
  return {
    evidence: withinBounds(found, bounds, setup.snippet),
    ...{ version: index.version(), model_version: version, ...counts },
  };
}

/** How texts get into an index. */
interface Indexing {
  corpus: CorpusPlace;
  chunking: Chunking;
  /** null: the index has no vectors. */
  embed: Embedder | null;
  signal: AbortSignal;
}

/**
 * Reads what has changed in a corpus since the index was made, file by file: what is done stays done, whatever ends it.
 * @public for `bench/retrieval.ts`, which loads it from `dist`
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

/** A worker that was killed while it wrote keeps the others waiting so long. In ms. */
const turnMs = 5_000;
const renewMs = 1_000;
const lookMs = 100;

/**
 * Does something to an index while no other worker does: what makes vectors is slow, and once is enough. Whoever waits looks at
 * what is left to be done when it has its turn.
 * @throws Fault, retryable, where another worker has had its turn meanwhile; Node's errors of SQLite; the signal's reason
 */
export async function inTurn<T>(
  index: IndexFile,
  signal: AbortSignal,
  work: (stillMine: () => void) => Promise<T>,
): Promise<T> {
  const owner = randomUUID();
  while (!take(index, owner)) await wait(lookMs, undefined, { signal });
  let problem: Error | null = null;
  const renewal = setInterval(() => {
    // Thrown from here it would end the whole worker.
    try {
      if (!take(index, owner))
        problem = new Fault('another worker has gone on with the index', { retryable: true });
    } catch (error) {
      problem = error as Error;
    }
  }, renewMs);
  try {
    return await work(() => {
      if (problem !== null) throw problem;
    });
  } finally {
    clearInterval(renewal);
    index.all('DELETE FROM turn WHERE owner = ?', owner);
  }
}

function take(index: IndexFile, owner: string): boolean {
  const now = Date.now();
  const taken = index.all(
    `INSERT INTO turn (id, owner, until) VALUES (1, ?, ?)
     ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, until = excluded.until
     WHERE owner = excluded.owner OR until < ? RETURNING owner`,
    ...[owner, BigInt(now + turnMs), BigInt(now)],
  );
  return taken.length > 0;
}
