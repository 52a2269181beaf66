import { TactusError } from '../../contract/errors.js';
import type { LedgerFilter, LedgerRow, NumberedLedgerEvent } from '../../contract/graphs/ledger.js';
import type { JsonObject, JsonValue } from '../../contract/json/json.js';
import { emptyMetadata, type Growth, type ProcedureMetadata } from './procedure-metadata.js';

/** A backend may answer at once or later. */
export type Awaitable<T> = T | PromiseLike<T>;

/**
 * Where Tactus keeps what it knows of procedures. For a run on Temporal this holds a mirror: history stays the
 * truth. Values go in and out by copy. Both faces, metadata and checkpoints, show the one record of a procedure.
 */
export interface StorageBackend {
  /** An empty record, which is not kept, where there is none. */
  loadProcedureMetadata(procedureId: string): Awaitable<ProcedureMetadata>;
  saveProcedureMetadata(procedureId: string, metadata: ProcedureMetadata): Awaitable<void>;
  /** Forgets the message that was waited on, unless one is named. */
  updateProcedureStatus(
    procedureId: string,
    status: string,
    waitingOnMessageId?: string | null,
  ): Awaitable<void>;

  /**
   * Adds to a record without touching what is there, at a cost that doesn't grow with it. False, and nothing done, where
   * the record has fewer entries than `from`. True, and nothing done either, where the record's `mirrored` is behind that of
   * the growth: what was told late is there. Left out: the mirror rewrites the whole record instead.
   * @param ledger events of the run's ledger that are kept in the same transaction, each once; given to storages that have `readLedger`
   * @throws TactusError usage of entries that no record may have
   */
  append?(procedureId: string, growth: Growth, ledger?: readonly LedgerRow[]): Awaitable<boolean>;
  /**
   * Adds to a record that has exactly `from` entries, with nobody in between: false, and nothing done, where it has another number. So none
   * of several who write takes the place of another's entry. Left out: only one may write a record.
   */
  appendNext?(procedureId: string, growth: Growth): Awaitable<boolean>;
  /**
   * Saves a record, unless the one that is there was told after it, by `mirrored` of both. One of which that can't be read is
   * replaced. Whether it was saved. Left out: what a run tells replaces whatever is there.
   * @param ledger as of `append`
   */
  supersede?(
    procedureId: string,
    record: ProcedureMetadata,
    ledger?: readonly LedgerRow[],
  ): Awaitable<boolean>;
  /** Keeps events of the run's ledger, each once. Left out, as `readLedger`: a ledger is a record of its own, and kept before the run's. */
  addLedger?(procedureId: string, rows: readonly LedgerRow[]): Awaitable<void>;
  /** Events of the run's ledger, the oldest first; they go with the record. */
  readLedger?(procedureId: string, filter: LedgerFilter): Awaitable<NumberedLedgerEvent[]>;
  /** Brings a record that was appended to into the form in which others read it; left out where it always has that. */
  fold?(procedureId: string): Awaitable<void>;

  getState(procedureId: string): Awaitable<JsonObject>;
  setState(procedureId: string, state: JsonObject): Awaitable<void>;
  /** Sets one key and leaves the others. */
  stateSet(procedureId: string, key: string, value: JsonValue): Awaitable<void>;

  /** Replaces the record; what `data` leaves out is empty. Keys that the record doesn't know are kept. */
  saveCheckpoint(procedureId: string, data: JsonObject): Awaitable<void>;
  loadCheckpoint(procedureId: string): Awaitable<ProcedureMetadata | null>;
  /** Deleting what is not there is no error. */
  deleteCheckpoint(procedureId: string): Awaitable<void>;
  /**
   * Ids of procedures, in the order of their characters.
   * @throws TactusError usage of a limit that is no whole number of at least 1
   */
  listCheckpoints(filter?: CheckpointFilter): Awaitable<string[]>;

  /** Lets go of what the backend holds, such as connections; left out where it holds nothing. */
  close?(): Awaitable<void>;
}

/** Metadata of a procedure and its checkpoint: two faces of its one record. */
export abstract class CheckpointStorage {
  abstract loadCheckpoint(procedureId: string): Promise<ProcedureMetadata | null>;
  abstract saveCheckpoint(procedureId: string, data: JsonObject): Promise<void>;

  async loadProcedureMetadata(procedureId: string): Promise<ProcedureMetadata> {
    return (await this.loadCheckpoint(procedureId)) ?? emptyMetadata(procedureId);
  }

  async saveProcedureMetadata(procedureId: string, metadata: ProcedureMetadata): Promise<void> {
    await this.saveCheckpoint(procedureId, metadata);
  }
}

/** A storage whose records are made by something else: whatever would write is refused. */
export abstract class ReadOnlyStorage extends CheckpointStorage {
  /** Why a record can't be written, and what changes it. */
  protected abstract readonly whyNotWritten: string;

  override async saveCheckpoint(procedureId: string): Promise<void> {
    return this.#refuse(procedureId);
  }

  async updateProcedureStatus(procedureId: string): Promise<void> {
    return this.#refuse(procedureId);
  }

  async setState(procedureId: string): Promise<void> {
    return this.#refuse(procedureId);
  }

  async stateSet(procedureId: string): Promise<void> {
    return this.#refuse(procedureId);
  }

  /** @throws TactusError usage */
  #refuse(procedureId: string): never {
    checkProcedureId(procedureId);
    const message = `${procedureId} can't be written: ${this.whyNotWritten}`;
    throw new TactusError('usage', message, { run_id: procedureId });
  }
}

/** Which checkpoints to list; all of them without a filter. */
export interface CheckpointFilter {
  status?: string;
  /** How the procedure's id begins. */
  prefix?: string;
  /** So many at most. */
  limit?: number;
  /** Those behind this id alone, which need not be there: with `limit`, the last id of a page gives the following one. */
  after?: string;
}

/** @throws TactusError usage of a filter that can't be meant */
export function checkFilter({ prefix = '', limit = 1, after = '' }: CheckpointFilter): void {
  if (!Number.isSafeInteger(limit) || limit < 1)
    throw new TactusError('usage', `The limit of a page must be a whole number of at least 1, got ${limit}`);
  for (const text of [prefix, after])
    if (!isWellFormed(text))
      throw new TactusError('usage', `No procedure id begins with ${JSON.stringify(text)}`);
}

/** What is told of a record that can't be read. `place` names where it is kept. */
export function damagedRecord(place: string, error: unknown): TactusError {
  const reason = error instanceof Error ? error.message : String(error);
  return new TactusError('file_failed', `${place} is damaged, and was left as it is: ${reason}`, { place });
}

/** @throws TactusError usage of what is no id: no text at all, or half a character */
export function checkProcedureId(procedureId: string): void {
  if (procedureId === '' || !isWellFormed(procedureId))
    throw new TactusError('usage', `${JSON.stringify(procedureId)} is not a procedure id`);
}

/** The order of ids: that of their characters, which is that of their bytes in UTF-8 and so that of databases. */
export function compareIds(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let i = 0; i < length; i++) {
    const [a, b] = [one.charCodeAt(i), other.charCodeAt(i)];
    if (a !== b) return rank(a) - rank(b);
  }
  return one.length - other.length;
}

/** Halves of pairs stand for characters behind all others. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x1_0000 : unit;
}

/** Whether a text has whole characters alone: no other can be kept. */
export function isWellFormed(text: string): boolean {
  return Buffer.from(text).toString() === text;
}

/** The first text behind all that begin so; null where there is none. */
export function behind(prefix: string): string | null {
  const characters = [...prefix];
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const next = (last.codePointAt(0) ?? 0) + 1;
    // Halves of pairs are no characters.
    if (next <= 0x10_ffff) return characters.join('') + String.fromCodePoint(next === 0xd800 ? 0xe000 : next);
  }
  return null;
}
