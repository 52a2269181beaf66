import { hasCode } from '../../contract/errors.js';
import { setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { lackedBy } from '../../log/pages.js';
import {
  completeGrowth,
  completeRecord,
  fits,
  grown,
  isBefore,
  readMark,
  type Growth,
  type MirrorMark,
  type ProcedureMetadata,
} from './procedure-metadata.js';
import {
  checkFilter,
  CheckpointStorage,
  compareIds,
  damagedRecord,
  type CheckpointFilter,
  type StorageBackend,
} from './storage-backend.js';
import type { KeyedQueue } from '../concurrency.js';

/** What is kept of a procedure: a whole record, and the lines by which it has grown since. */
export interface Stored {
  text: string;
  lines: readonly string[];
  /** Something is cut off behind them: nothing can be added before all is written anew. */
  isTorn: boolean;
}

/** What must be known of a record to add to it. */
interface Tail {
  /** Of what is stored: another one says that somebody else has written. */
  mark: string;
  entries: number;
  textBytes: number;
  lineBytes: number;
  mirrored: MirrorMark | null;
}

/** Lines of less are always added; more than the record itself are folded into it, which costs a line nothing on average. */
const fewestLineBytes = 64 * 1_024;
const mostTails = 10_000;

/**
 * A storage backend over anything that keeps one text for each procedure, and lines behind it.
 *
 * Owns: what it knows of the end of each record (`Tail`), for the procedures that were written last.
 * Asks: its subclass to read and write; the queue of a procedure for its turn.
 * Invariants:
 *  1. Changes of one procedure follow each other, so none is lost. This holds for all storages that share their queues.
 *  2. A tail counts only if its mark is that of the storage: else somebody else has written, and the record is read anew.
 *  3. A tail is dropped before a write and set after it, so that a write that failed leaves none.
 *  4. What is mirrored never replaces what was mirrored later.
 */
export abstract class RecordStorage extends CheckpointStorage implements StorageBackend {
  readonly #queues: KeyedQueue;
  readonly #tails = new Map<string, Tail>();

  protected constructor(queues: KeyedQueue) {
    super();
    this.#queues = queues;
  }

  protected abstract readStored(procedureId: string): Promise<Stored | null>;
  /** Must replace text and lines as a whole, or leave the old ones. */
  protected abstract writeText(procedureId: string, text: string): Promise<void>;
  /** Adds a line to the text that is there; the first line since it was written begins anew. */
  protected abstract appendLine(procedureId: string, line: string, isFirst: boolean): Promise<void>;
  /** Changes with what is stored; costs the same however much that is. */
  protected abstract markOf(procedureId: string): Promise<string>;
  protected abstract removeText(procedureId: string): Promise<void>;
  protected abstract listIds(): Promise<string[]>;
  /** Names the place of a record in errors. */
  protected abstract placeOf(procedureId: string): string;

  async updateProcedureStatus(
    procedureId: string,
    status: string,
    waitingOnMessageId: string | null = null,
  ): Promise<void> {
    await this.#change(procedureId, (record) => {
      record.status = status;
      record.waiting_on_message_id = waitingOnMessageId;
    });
  }

  append(procedureId: string, growth: Growth): Promise<boolean> {
    return this.#append(procedureId, growth, false);
  }

  appendNext(procedureId: string, growth: Growth): Promise<boolean> {
    return this.#append(procedureId, growth, true);
  }

  async #append(procedureId: string, told: Growth, isNext: boolean): Promise<boolean> {
    const growth = completeGrowth(procedureId, told);
    return this.#queues.run(procedureId, async () => {
      const tail = await this.#tailOf(procedureId);
      const mirrored = readMark(growth.mirrored) ?? tail?.mirrored ?? null;
      if (isBefore(mirrored, tail?.mirrored ?? null)) return true;
      const count = tail?.entries ?? 0;
      const lacked = lackedBy(count, growth);
      if (lacked === null || !fits(count, growth, isNext)) return false;
      const line = JSON.stringify(growth);
      if (tail === null || tail.lineBytes + line.length > Math.max(fewestLineBytes, tail.textBytes)) {
        await this.#write(procedureId, grown(await this.loadProcedureMetadata(procedureId), [growth]));
        return true;
      }
      this.#tails.delete(procedureId);
      await this.appendLine(procedureId, line, tail.lineBytes === 0);
      const entries = count + lacked.length;
      const lineBytes = tail.lineBytes + line.length;
      const mark = await this.markOf(procedureId);
      this.#setTail(procedureId, { ...tail, mark, entries, lineBytes, mirrored });
      return true;
    });
  }

  async supersede(procedureId: string, record: ProcedureMetadata): Promise<boolean> {
    const complete = completeRecord(procedureId, record);
    const text = toText(complete);
    return this.#queues.run(procedureId, async () => {
      const tail = await this.#tailOf(procedureId).catch((error: unknown) => passedOver(error));
      if (isBefore(readMark(complete.mirrored), tail?.mirrored ?? null)) return false;
      await this.#writeText(procedureId, text, complete);
      return true;
    });
  }

  async fold(procedureId: string): Promise<void> {
    await this.#queues.run(procedureId, async () => {
      const tail = await this.#tailOf(procedureId);
      if (tail === null || tail.lineBytes === 0) return;
      const record = await this.loadCheckpoint(procedureId);
      // Somebody else who adds to it now has the run, and folds it in time.
      if (record !== null && (await this.markOf(procedureId)) === tail.mark)
        await this.#write(procedureId, record);
    });
  }

  async getState(procedureId: string): Promise<JsonObject> {
    return (await this.loadProcedureMetadata(procedureId)).state;
  }

  async setState(procedureId: string, state: JsonObject): Promise<void> {
    await this.#change(procedureId, (record) => {
      record.state = state;
    });
  }

  async stateSet(procedureId: string, key: string, value: JsonValue): Promise<void> {
    await this.#change(procedureId, (record) => setOwn(record.state, key, value));
  }

  override async saveCheckpoint(procedureId: string, data: JsonObject): Promise<void> {
    const record = completeRecord(procedureId, data);
    const text = toText(record);
    await this.#queues.run(procedureId, () => this.#writeText(procedureId, text, record));
  }

  override async loadCheckpoint(procedureId: string): Promise<ProcedureMetadata | null> {
    const stored = await this.readStored(procedureId);
    return stored === null ? null : this.#recordOf(procedureId, stored);
  }

  async deleteCheckpoint(procedureId: string): Promise<void> {
    await this.#queues.run(procedureId, async () => {
      this.#tails.delete(procedureId);
      await this.removeText(procedureId);
    });
  }

  async listCheckpoints(filter: CheckpointFilter = {}): Promise<string[]> {
    checkFilter(filter);
    const { status, prefix = '', limit = Infinity, after = '' } = filter;
    const ids = (await this.listIds()).filter((id) => id.startsWith(prefix) && compareIds(id, after) > 0);
    const found: string[] = [];
    for (const id of ids.sort(compareIds)) {
      if (found.length === limit) break;
      if (status === undefined || (await this.loadCheckpoint(id))?.status === status) found.push(id);
    }
    return found;
  }

  #recordOf(procedureId: string, { text, lines }: Stored): ProcedureMetadata {
    try {
      const record = completeRecord(procedureId, JSON.parse(text) as JsonValue);
      if (lines.length === 0) return record;
      return completeRecord(
        procedureId,
        grown(
          record,
          lines.map((line) => JSON.parse(line) as Growth),
        ),
      );
    } catch (error) {
      throw damagedRecord(this.placeOf(procedureId), error);
    }
  }

  #change(procedureId: string, change: (record: ProcedureMetadata) => void): Promise<void> {
    return this.#queues.run(procedureId, async () => {
      const record = await this.loadProcedureMetadata(procedureId);
      change(record);
      await this.#write(procedureId, record);
    });
  }

  async #write(procedureId: string, record: ProcedureMetadata): Promise<void> {
    const complete = completeRecord(procedureId, record);
    await this.#writeText(procedureId, toText(complete), complete);
  }

  async #writeText(procedureId: string, text: string, record: ProcedureMetadata): Promise<void> {
    this.#tails.delete(procedureId);
    await this.writeText(procedureId, text);
    this.#setTail(procedureId, {
      mark: await this.markOf(procedureId),
      entries: record.execution_log.length,
      textBytes: text.length,
      lineBytes: 0,
      mirrored: readMark(record.mirrored),
    });
  }

  /** Null where there is no record. One that was written by somebody else is read, once. */
  async #tailOf(procedureId: string): Promise<Tail | null> {
    const mark = await this.markOf(procedureId);
    const known = this.#tails.get(procedureId);
    if (known?.mark === mark) return known;
    const stored = await this.readStored(procedureId);
    if (stored === null) return null;
    const record = this.#recordOf(procedureId, stored);
    const lineBytes = stored.isTorn ? Infinity : stored.lines.reduce((sum, line) => sum + line.length, 0);
    const entries = record.execution_log.length;
    const mirrored = readMark(record.mirrored);
    return this.#setTail(procedureId, { mark, entries, textBytes: stored.text.length, lineBytes, mirrored });
  }

  #setTail(procedureId: string, tail: Tail): Tail {
    this.#tails.delete(procedureId);
    const oldest = this.#tails.size < mostTails ? undefined : this.#tails.keys().next().value;
    if (oldest !== undefined) this.#tails.delete(oldest);
    this.#tails.set(procedureId, tail);
    return tail;
  }
}

function toText(record: ProcedureMetadata): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}

/** Of a damaged record nothing is known. */
function passedOver(error: unknown): null {
  if (hasCode(error, 'file_failed')) return null;
  throw error;
}
