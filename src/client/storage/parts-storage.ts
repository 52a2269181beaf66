import { setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { BothFaces } from './both-faces.js';
import type { CheckpointFilter } from './checkpoint-filter.js';
import { completeGrowth, completeRecord } from './complete-record.js';
import { damagedRecord } from './damaged-record.js';
import type { Growth } from './growth.js';
import type { ProcedureMetadata } from './procedure-metadata.js';
import { columnsOf, toRecord, toState, type Columns, type RecordParts } from './record-parts.js';
import type { StorageBackend } from './storage-backend.js';
import { TaskQueues } from './task-queues.js';

/**
 * A storage backend over a database that keeps a record by parts, and its log an entry each: adding to a log costs the same
 * however long it is. Changes of one procedure follow each other in the order in which they were told; those of other
 * processes the database itself must keep from overtaking each other.
 */
export abstract class PartsStorage extends BothFaces implements StorageBackend {
  readonly #queues = new TaskQueues();

  /** `name`: what the database is called in errors. */
  protected constructor(private readonly name: string) {
    super();
  }

  /** Of one moment; null where there is no such record. */
  protected abstract readParts(procedureId: string): Promise<RecordParts | null>;
  protected abstract readState(procedureId: string): Promise<string | null>;
  /** Replaces these columns alone. A record that isn't there begins as an empty one. */
  protected abstract writeColumns(procedureId: string, columns: Columns): Promise<void>;
  /** Replaces the record as a whole, or leaves the old one. */
  protected abstract writeRecord(procedureId: string, record: ProcedureMetadata): Promise<void>;
  /** The same, unless the record that is there has a mark that comes after: then false. Nobody comes in between. */
  protected abstract supersedeRecord(procedureId: string, record: ProcedureMetadata): Promise<boolean>;
  /** Changes the state to what the function makes of it, with nobody in between. */
  protected abstract changeState(
    procedureId: string,
    change: (state: string | null) => string,
  ): Promise<void>;
  /** Adds entries and puts the head, with its mark, in place of the old one; nothing, and true, where the old mark comes after. */
  protected abstract appendEntries(procedureId: string, growth: Growth): Promise<boolean>;
  protected abstract removeRecord(procedureId: string): Promise<void>;
  abstract listCheckpoints(filter?: CheckpointFilter): Promise<string[]>;
  abstract close(): Promise<void>;

  async updateProcedureStatus(
    procedureId: string,
    status: string,
    waitingOnMessageId: string | null = null,
  ): Promise<void> {
    await this.#set(procedureId, { status, waiting_on_message_id: waitingOnMessageId });
  }

  async append(procedureId: string, growth: Growth): Promise<boolean> {
    const complete = completeGrowth(procedureId, growth);
    return this.#queues.run(procedureId, () => this.appendEntries(procedureId, complete));
  }

  async supersede(procedureId: string, record: ProcedureMetadata): Promise<boolean> {
    const complete = completeRecord(procedureId, record);
    return this.#queues.run(procedureId, () => this.supersedeRecord(procedureId, complete));
  }

  async getState(procedureId: string): Promise<JsonObject> {
    const text = await this.readState(procedureId);
    return this.reading(procedureId, () => toState(text));
  }

  async setState(procedureId: string, state: JsonObject): Promise<void> {
    await this.#set(procedureId, { state });
  }

  async stateSet(procedureId: string, key: string, value: JsonValue): Promise<void> {
    const change = (text: string | null): string => {
      const state = this.reading(procedureId, () => toState(text));
      setOwn(state, key, value);
      return JSON.stringify(state);
    };
    await this.#queues.run(procedureId, () => this.changeState(procedureId, change));
  }

  override async saveCheckpoint(procedureId: string, data: JsonObject): Promise<void> {
    const record = completeRecord(procedureId, data);
    await this.#queues.run(procedureId, () => this.writeRecord(procedureId, record));
  }

  override async loadCheckpoint(procedureId: string): Promise<ProcedureMetadata | null> {
    const parts = await this.readParts(procedureId);
    return parts === null ? null : this.recordOf(procedureId, parts);
  }

  async deleteCheckpoint(procedureId: string): Promise<void> {
    await this.#queues.run(procedureId, () => this.removeRecord(procedureId));
  }

  /** @throws TactusError file_failed */
  protected recordOf(procedureId: string, parts: RecordParts): ProcedureMetadata {
    return this.reading(procedureId, () => toRecord(procedureId, parts));
  }

  async #set(
    procedureId: string,
    parts: Partial<Pick<ProcedureMetadata, 'status' | 'waiting_on_message_id' | 'state'>>,
  ): Promise<void> {
    completeRecord(procedureId, parts);
    const columns = columnsOf(parts);
    await this.#queues.run(procedureId, () => this.writeColumns(procedureId, columns));
  }

  /** @throws TactusError file_failed where what is read is damaged */
  protected reading<T>(procedureId: string, read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw damagedRecord(`the record of ${JSON.stringify(procedureId)} in ${this.name}`, error);
    }
  }
}
