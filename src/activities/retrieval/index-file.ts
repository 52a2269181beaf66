import type * as Sqlite from 'node:sqlite';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { TactusError } from '../../contract/errors.js';
import { canonicalJson } from '../../contract/json/json.js';
import type { IndexSetup, RetrieverId } from '../../contract/retrieval/retrieval.js';
import { assertInstalled } from '../packages/installed.js';
import type { Chunk, CorpusFile, CorpusPlace, ReadFile } from './corpus-files.js';

/** What an index keeps of its chunks beside their texts. */
export type IndexKind = 'vectors' | 'words' | 'terms';

const kindOfRetriever: Record<RetrieverId, IndexKind> = {
  'embedding-index-file': 'vectors',
  'embedding-index-inmemory': 'vectors',
  'sqlite-full-text-search': 'words',
  'tf-vector': 'terms',
};

/** Of the tables below: what has another one is another file. */
const format = 1;
/** Others may be writing: so long they are waited for. It holds up the whole process, and who can't write tries again later. */
const busyMs = 1_000;
/** A million chunks are looked through in half a second. */
const mostChunks = 1_000_000;

const tables = `
  CREATE TABLE IF NOT EXISTS files (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, stamp TEXT NOT NULL, hash TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS chunks (id INTEGER PRIMARY KEY, file INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, text TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS chunks_of_file ON chunks (file);
  CREATE TABLE IF NOT EXISTS turn (id INTEGER PRIMARY KEY CHECK (id = 1), owner TEXT NOT NULL, until INTEGER NOT NULL);`;

const tablesOf: Record<IndexKind, (dimensions: number) => string> = {
  vectors: (dimensions) =>
    `CREATE VIRTUAL TABLE IF NOT EXISTS vectors USING vec0(chunk INTEGER PRIMARY KEY, embedding FLOAT[${dimensions}])`,
  words: () => `CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(text, content='', contentless_delete=1)`,
  terms: () => `
    CREATE TABLE IF NOT EXISTS terms (term TEXT NOT NULL, chunk INTEGER NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (term, chunk)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS norms (chunk INTEGER PRIMARY KEY, squared INTEGER NOT NULL)`,
};

/** What makes an index another one. */
export interface IndexIdentity {
  corpus: CorpusPlace;
  setup: Pick<IndexSetup, 'id' | 'chunking' | 'embedding'>;
  /** Of the model that makes vectors, and how many numbers they have; null where there are none. */
  model: { version: string | null; dimensions: number } | null;
}

/** The index of one corpus, in an SQLite file that workers of one machine share. */
export class IndexFile {
  readonly kind: IndexKind;
  private readonly statements = new Map<string, StatementSync>();

  private constructor(
    private readonly database: DatabaseSync,
    kind: IndexKind,
  ) {
    this.kind = kind;
  }

  /**
   * Opens the index, or makes an empty one.
   * @param folder of the worker's indexes
   * @throws TactusError missing_package; retrieval_failed where this Node has no SQLite; Node's errors of SQLite
   */
  static async open(folder: string, identity: IndexIdentity): Promise<IndexFile> {
    const { setup, model } = identity;
    const kind = kindOfRetriever[setup.id];
    // Loaded here, as older ones haven't got it.
    const sqlite: Pick<typeof Sqlite, 'DatabaseSync'> | undefined = process.getBuiltinModule('node:sqlite');
    if (sqlite === undefined)
      throw new TactusError(
        'retrieval_failed',
        `Retrievers need Node 22.13 or newer; this is ${process.version}`,
      );
    if (kind === 'vectors') assertInstalled(`Retrievers by "${setup.id}" need`, ['sqlite-vec']);
    await mkdir(folder, { recursive: true });
    const database = new sqlite.DatabaseSync(join(folder, indexName(identity)), {
      timeout: busyMs,
      allowExtension: kind === 'vectors',
    });
    try {
      if (kind === 'vectors') {
        (await import('sqlite-vec')).load(database);
        database.enableLoadExtension(false);
      }
      await writeAhead(database);
      const index = new IndexFile(database, kind);
      if (index.all(`SELECT 1 FROM sqlite_master WHERE name = 'turn'`).length === 0)
        index.write(() => {
          database.exec(tablesOf[kind](model?.dimensions ?? 0));
          database.exec(tables);
        });
      return index;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  all<T>(sql: string, ...parameters: SQLInputValue[]): T[] {
    const statement = this.statements.get(sql) ?? this.database.prepare(sql);
    this.statements.set(sql, statement);
    return statement.all(...parameters) as T[];
  }

  /** One after the other with what other processes write, and all of it or nothing. */
  write<T>(work: () => T): T {
    return this.transaction('BEGIN IMMEDIATE', work);
  }

  /** As the index was when the work began, whoever writes meanwhile. */
  read<T>(work: () => T): T {
    return this.transaction('BEGIN', work);
  }

  files(): (CorpusFile & { hash: string })[] {
    return this.all('SELECT path, stamp, hash FROM files ORDER BY path');
  }

  version(): string {
    return corpusVersion(this.files());
  }

  counts(): { files: number; chunks: number } {
    const [row] = this.all<{ files: number; chunks: number }>(
      'SELECT (SELECT count(*) FROM files) AS files, (SELECT count(*) FROM chunks) AS chunks',
    );
    return row ?? { files: 0, chunks: 0 };
  }

  /** The file has been read again, and is what it was. */
  stamp({ path, stamp }: CorpusFile): void {
    this.all('UPDATE files SET stamp = ? WHERE path = ?', stamp, path);
  }

  remove(path: string): void {
    this.write(() => {
      this.drop(path);
    });
  }

  /**
   * Puts a file in, in the place of what it was before.
   * @param vectors of the chunks, in their order, where the index has any
   * @throws TactusError retrieval_failed where there are too many chunks
   */
  put(
    { path, stamp, hash }: Omit<ReadFile, 'text'>,
    chunks: readonly Chunk[],
    vectors: readonly Float32Array[],
  ): void {
    this.write(() => {
      this.drop(path);
      const file = this.insert('INSERT INTO files (path, stamp, hash) VALUES (?, ?, ?)', path, stamp, hash);
      chunks.forEach(({ start, end, text }, i) => {
        const id = this.insert(
          'INSERT INTO chunks (file, first, last, text) VALUES (?, ?, ?, ?)',
          ...[file, BigInt(start), BigInt(end), text],
        );
        this.keep(id, text, vectors[i]);
      });
      if (this.counts().chunks > mostChunks)
        throw new TactusError(
          'retrieval_failed',
          `a corpus may have ${mostChunks} pieces of text, and it has more`,
        );
    });
  }

  close(): void {
    if (this.database.isOpen) this.database.close();
  }

  private keep(chunk: bigint, text: string, vector: Float32Array | undefined): void {
    switch (this.kind) {
      case 'vectors':
        if (vector === undefined)
          throw new TactusError('internal', 'A text was to be indexed without its vector');
        this.insert('INSERT INTO vectors (chunk, embedding) VALUES (?, ?)', chunk, bytesOf(vector));
        break;
      case 'words':
        this.insert('INSERT INTO words (rowid, text) VALUES (?, ?)', chunk, text);
        break;
      case 'terms': {
        let squared = 0;
        for (const [term, count] of termsOf(text)) {
          squared += count * count;
          this.insert('INSERT INTO terms (term, chunk, count) VALUES (?, ?, ?)', term, chunk, BigInt(count));
        }
        this.insert('INSERT INTO norms (chunk, squared) VALUES (?, ?)', chunk, BigInt(squared));
      }
    }
  }

  private drop(path: string): void {
    const [file] = this.all<{ id: number }>('SELECT id FROM files WHERE path = ?', path);
    if (file === undefined) return;
    for (const { id, text } of this.all<{ id: number; text: string }>(
      'SELECT id, text FROM chunks WHERE file = ?',
      file.id,
    )) {
      const chunk = BigInt(id);
      if (this.kind === 'vectors') this.all('DELETE FROM vectors WHERE chunk = ?', chunk);
      else if (this.kind === 'words') this.all('DELETE FROM words WHERE rowid = ?', chunk);
      else {
        for (const term of termsOf(text).keys())
          this.all('DELETE FROM terms WHERE term = ? AND chunk = ?', term, chunk);
        this.all('DELETE FROM norms WHERE chunk = ?', chunk);
      }
    }
    this.all('DELETE FROM chunks WHERE file = ?', file.id);
    this.all('DELETE FROM files WHERE id = ?', file.id);
  }

  private insert(sql: string, ...parameters: SQLInputValue[]): bigint {
    const statement = this.statements.get(sql) ?? this.database.prepare(sql);
    this.statements.set(sql, statement);
    return BigInt(statement.run(...parameters).lastInsertRowid);
  }

  private transaction<T>(begin: string, work: () => T): T {
    this.database.exec(begin);
    try {
      const result = work();
      this.database.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.database.isTransaction) this.database.exec('ROLLBACK');
      throw error;
    }
  }
}

const busy = 5;
const triesToOpen = 50;

/** Readers then don't wait for who writes. For this change of a new file alone SQLite waits for nobody: several may make it at once. */
async function writeAhead(database: DatabaseSync): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA mmap_size = 4294967296');
      return;
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== busy || tries === triesToOpen) throw error;
      await wait(20);
    }
  }
}

export function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** `notes-4f2a….sqlite`: another one for another corpus, another way of cutting, another model. */
export function indexName({ corpus, setup, model }: IndexIdentity): string {
  const { id, chunking, embedding } = setup;
  const identity = { format, corpus: corpus.folder, kind: kindOfRetriever[id], chunking, embedding, model };
  const digest = createHash('sha256').update(canonicalJson(identity)).digest('hex');
  const name = basename(corpus.folder)
    .replace(/[^\w-]+/g, '_')
    .slice(0, 40);
  return `${name}-${digest.slice(0, 24)}.sqlite`;
}

/** `sha256:…` of the lines that `sha256sum` says of the files. */
function corpusVersion(files: readonly { path: string; hash: string }[]): string {
  const hash = createHash('sha256');
  for (const { path, hash: digest } of files) hash.update(`${digest}  ${path}\n`);
  return `sha256:${hash.digest('hex')}`;
}

/** How often each word of Latin letters and digits stands in a text, in lower case. */
export function termsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [term] of text.toLowerCase().matchAll(/[a-z0-9]+/g))
    counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
