import { createHash } from 'node:crypto';
import { TactusError } from '../../../contract/errors.js';
import type { CheckpointFilter } from '../storage-backend.js';

/**
 * The document that stands for a procedure: which parts make its record, and all of it that is small. It alone is ever
 * written anew, and only in place of the one that was read.
 */
export interface Head {
  /** Another one with each change. */
  version: string;
  /** No two versions have the same. */
  text: string;
}

export interface NewHead extends Head {
  /** By which it is listed, as JSON. */
  status: string;
}

/** In bytes. */
export interface PartLimits {
  /** What a part has at most. */
  largestPart: number;
  /** What a head takes in of new entries, before they become a part: each further entry writes them again. */
  largestTail: number;
}

/** The parts of procedures, which are never changed. */
export interface PartStore {
  readonly limits: PartLimits;
  /** Null where there is none. */
  readPart(procedureId: string, name: string): Promise<Uint8Array | null>;
  /** All that are there, by their names. */
  readParts(procedureId: string): Promise<Map<string, Uint8Array>>;
  writePart(procedureId: string, name: string, content: Uint8Array): Promise<void>;
  /** Names that come after one, in their order, which is that of their characters. */
  partNames(procedureId: string, after: string): Promise<string[]>;
  removeParts(procedureId: string, names: readonly string[]): Promise<void>;
}

/**
 * What came of writing a head. `overtaken`: nothing was done, as another one is there by now. `unknown`: the same, but it was
 * told more than once, so it may have been there in between, and what it refers to may be in use.
 */
export type HeadOutcome = 'done' | 'overtaken' | 'unknown';

/**
 * A store of documents of a limited size, of which it writes one at a time, whole, and if need be only where a given one
 * still stands. A procedure has one head, and parts.
 */
export interface DocumentStore<H extends Head> extends PartStore {
  /** What it is called in errors. */
  readonly name: string;

  /** Makes what it keeps documents in, where it may. */
  prepare?(): Promise<void>;
  /** As it was last written, whoever wrote it. */
  readHead(procedureId: string): Promise<H | null>;
  /** Writes it in place of `before`, or where none is. */
  writeHead(procedureId: string, head: NewHead, before: H | null): Promise<HeadOutcome>;
  /** False, and nothing done, where another one is there by then. */
  removeHead(procedureId: string, before: H): Promise<boolean>;

  /** Ids of heads that are there, in the order of their bytes in UTF-8. */
  list(filter: CheckpointFilter): Promise<string[]>;
  close(): Promise<void>;
}

/** A head that says in place of which version it was written; null where there was none. */
export interface LinkedHead extends Head {
  previous: string | null;
}

/**
 * What came of a head that was refused, by what is there. The client of a service may have told it more than once, and doesn't say so: one that
 * somebody else has built on is not there any more. But where what is there came directly in place of what was read, ours never was.
 */
export function outcomeAgainst(there: LinkedHead | null, version: string, before: Head | null): HeadOutcome {
  if (there?.version === version) return 'done';
  // Where none is there by now, nothing refers to what ours did.
  return there === null || there.previous === (before?.version ?? null) ? 'overtaken' : 'unknown';
}

/** The bytes between which the ids of a list are, in UTF-8: those from `from` on, and before `to`. */
interface IdRange {
  from: Buffer;
  to: Buffer;
}

/** Where the ids of a list are, none of which has more bytes than the longest. Null where no id can be. */
export function idRange(
  { prefix = '', after = '' }: Pick<CheckpointFilter, 'prefix' | 'after'>,
  longest: number,
): IdRange | null {
  const [begin, behind] = [Buffer.from(prefix), Buffer.from(after)];
  // What is longer than all ids is cut: no id that comes behind it is before its beginning.
  const next = Buffer.concat([behind.subarray(0, longest), Buffer.from([0])]);
  const from = behind.length > 0 && Buffer.compare(next, begin) > 0 ? next : begin;
  // No text in UTF-8 has this byte.
  const to = Buffer.concat([begin, Buffer.from([0xff])]);
  return begin.length > longest || Buffer.compare(from, to) >= 0 ? null : { from, to };
}

/** Counted up with every change of what is kept how. */
const schemaVersion = 1;

/** The document that says it stands where no procedure is. */
const [nobody, schemaPart] = ['', 'schema'];

/** Makes a store ready for records. @throws TactusError usage where a newer version of this package has made it */
export async function ensureSchema(store: DocumentStore<Head>): Promise<void> {
  await store.prepare?.();
  const content = await store.readPart(nobody, schemaPart);
  if (content === null) return store.writePart(nobody, schemaPart, Buffer.from(String(schemaVersion)));
  const found = Number(Buffer.from(content).toString());
  if (found <= schemaVersion) return;
  throw new TactusError(
    'usage',
    `The storage was made by a newer version of tactus-temporal (schema ${found})`,
  );
}

/** SHA-256 of a text in UTF-8, in hexadecimal digits. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A text as part of a key: of one that is longer, its beginning and its digest. `most`: bytes in UTF-8. */
export function shortenedKey(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  const digest = digestOf(text);
  const characters = Math.floor((most - digest.length - 1) / 4);
  return `${[...text.slice(0, characters * 2)].slice(0, characters).join('')}~${digest}`;
}
