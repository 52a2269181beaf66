import type { CheckpointFilter } from '../checkpoint-filter.js';

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
