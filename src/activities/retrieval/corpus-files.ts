import { createHash } from 'node:crypto';
import { constants, type BigIntStats } from 'node:fs';
import { lstat, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TactusError } from '../../contract/errors.js';
import type { Chunking } from '../../contract/retrieval/retrieval.js';
import { megabytes } from '../../contract/text/texts.js';
import type { ActivityDeps } from '../activity-deps.js';
import { fileFault, folderName } from '../files/file-fault.js';
import { pathInside, refusedName } from '../files/path-inside.js';

const frontMatter = /^---[ \t]*\r?\n[^]*?\r?\n---[ \t]*(\r?\n|$)/;

/**
 * The text of a file. What stands between lines of `---` at the beginning of Markdown describes it, and becomes spaces: places in
 * the text are places in the file.
 * @throws TactusError retrieval_failed naming the path
 */
function documentText(bytes: Uint8Array, path: string): string {
  const text = decoded(bytes);
  if (text === null || text.includes('\0'))
    throw new TactusError('retrieval_failed', `${path} is no text in UTF-8`, { path });
  if (!/\.(md|markdown)$/i.test(path)) return text;
  return text.replace(frontMatter, (described) => described.replace(/[^\n]/g, ' '));
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Of a corpus, in files. */
const mostFiles = 100_000;
const mostBytes = 16_000_000;
const deepest = 32;
const texts = /\.(md|markdown|txt|text|rst|csv|tsv|html?)$/i;
/** So many are looked at together. */
const atOnce = 64;

/** A file of a corpus as it is now. */
export interface CorpusFile {
  /** Below the corpus, with `/`. */
  path: string;
  /** Another one as soon as it is written to; a hint alone: see `settledStamp`. */
  stamp: string;
}

/** What was read of it. */
export interface ReadFile extends CorpusFile {
  /** SHA-256 of its bytes, in hex. */
  hash: string;
  text: string;
}

/**
 * The texts in a folder and those below, in the order of their paths. What no procedure may use is left out, and so are links:
 * what they lead to may be elsewhere.
 * @throws TactusError retrieval_failed where there are too many
 */
export async function listTexts({ folder, name }: CorpusPlace, signal: AbortSignal): Promise<CorpusFile[]> {
  const paths: string[] = [];
  const walk = async (below: string, depth: number): Promise<void> => {
    signal.throwIfAborted();
    if (depth > deepest)
      throw new TactusError('retrieval_failed', `the corpus ${name} has folders more than ${deepest} deep`);
    for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
      if (refusedName(entry.name) !== null) continue;
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) await walk(path, depth + 1);
      else if (entry.isFile() && texts.test(entry.name)) paths.push(path);
    }
    if (paths.length > mostFiles)
      throw new TactusError(
        'retrieval_failed',
        `the corpus ${name} has more than ${mostFiles} files of text`,
      );
  };
  await walk('', 0);
  paths.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const files: CorpusFile[] = [];
  for (let at = 0; at < paths.length; at += atOnce) {
    signal.throwIfAborted();
    const some = await Promise.all(paths.slice(at, at + atOnce).map((path) => look(folder, path)));
    files.push(...some.filter((file) => file !== null));
  }
  return files;
}

async function look(folder: string, path: string): Promise<CorpusFile | null> {
  try {
    const stats = await lstat(join(folder, path), { bigint: true });
    return stats.isFile() ? { path, stamp: stampOf(stats) } : null;
  } catch (error) {
    return gone(error);
  }
}

/**
 * Reads a text; null where it is gone meanwhile.
 * @throws TactusError retrieval_failed for one that is too large, or no text in UTF-8
 */
export async function readText({ folder }: CorpusPlace, path: string): Promise<ReadFile | null> {
  const file = await open(join(folder, path), constants.O_RDONLY | constants.O_NOFOLLOW).catch(gone);
  if (file === null) return null;
  try {
    const stats = await file.stat({ bigint: true });
    if (stats.size > mostBytes)
      throw new TactusError(
        'retrieval_failed',
        `${path} has ${megabytes(Number(stats.size))} MB; a text of a corpus may have ${mostBytes / 1e6} MB`,
        { path },
      );
    const bytes = await file.readFile();
    const hash = createHash('sha256').update(bytes).digest('hex');
    return { path, hash, text: documentText(bytes, path), stamp: settledStamp(stats) };
  } finally {
    await file.close();
  }
}

function stampOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].join(':');
}

/** File systems don't count time so finely: what has just been written may be written again within the same tick. In ms. */
const tickMs = 2_000;

/** What is known to be read; nothing where the file may be another one soon, and look the same. */
function settledStamp(stats: BigIntStats): string {
  return Date.now() - Number(stats.mtimeMs) > tickMs ? stampOf(stats) : '';
}

function gone(error: unknown): null {
  const { code } = error as NodeJS.ErrnoException;
  // A link has taken its place, which is no text of the corpus.
  if (code === 'ENOENT' || code === 'ELOOP' || code === 'ENOTDIR') return null;
  throw error;
}

/** A folder of texts. */
export interface CorpusPlace {
  /** As the procedure names it. */
  name: string;
  /** Where it really lies. */
  folder: string;
}

/**
 * The folder that a procedure names, below the worker's folder of corpora.
 * @throws TactusError file_failed naming it as it was given; Fault where it may be readable later
 */
export async function findCorpus(
  { corporaFolder, filesRoot, keptPaths }: Pick<ActivityDeps, 'corporaFolder' | 'filesRoot' | 'keptPaths'>,
  name: string,
): Promise<CorpusPlace> {
  const root = corporaFolder ?? filesRoot;
  try {
    const inside = await pathInside(root, '', name, keptPaths);
    const folder = join(inside.root, ...inside.names);
    if (!(await stat(folder)).isDirectory())
      throw new TactusError('file_failed', `${name} is a file, and a corpus is a folder of them`, {
        path: name,
      });
    return { name, folder };
  } catch (error) {
    throw fileFault(error, name, folderName(root, ''), 'folder of corpora');
  }
}

/** A piece of a text, and where it stands there, in UTF-16 units. */
export interface Chunk {
  start: number;
  end: number;
  text: string;
}

/** Cuts a text into what is looked up. Pieces of nothing but space are left out. */
export function cutText(text: string, chunking: Chunking): Chunk[] {
  return spansOf(text, chunking)
    .map(([start, end]) => ({ start, end, text: text.slice(start, end) }))
    .filter((chunk) => chunk.text.trim() !== '');
}

type Span = readonly [start: number, end: number];

function spansOf(text: string, chunking: Chunking): Span[] {
  switch (chunking.by) {
    case 'whole':
      return [[0, text.length]];
    case 'paragraph':
      return matches(text, /\S(?:[^\n]|\n(?![^\S\n]*(?:\n|$)))*/g);
    case 'words': {
      const words = matches(text, /\S+/g);
      return windows(words.length, chunking).map(
        ([first, last]) => [words[first]?.[0] ?? 0, words[last - 1]?.[1] ?? 0] as const,
      );
    }
    case 'characters':
      return windows(text.length, chunking).map(
        ([start, end]) => [whole(text, start), whole(text, end)] as const,
      );
  }
}

function matches(text: string, pattern: RegExp): Span[] {
  return [...text.matchAll(pattern)].map((match) => [match.index, match.index + match[0].length]);
}

function windows(length: number, { size, overlap }: { size: number; overlap: number }): Span[] {
  const spans: Span[] = [];
  for (let start = 0; start < length; start += size - overlap) {
    const end = Math.min(start + size, length);
    spans.push([start, end]);
    if (end === length) break;
  }
  return spans;
}

/** Not between the two halves of a character. */
function whole(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
