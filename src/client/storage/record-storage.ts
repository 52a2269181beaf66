import { TactusError } from '../../contract/errors.js';
import { setOwn, type JsonObject, type JsonValue } from '../../contract/json.js';
import { completeRecord } from './complete-record.js';
import { emptyMetadata, type ProcedureMetadata } from './procedure-metadata.js';
import type { CheckpointFilter, StorageBackend } from './storage-backend.js';
import type { TaskQueues } from './task-queues.js';

/**
 * A storage backend over anything that keeps one text for each procedure. Changes of one procedure follow each
 * other, so none is lost; this holds for all storages that share their queues.
 */
export abstract class RecordStorage implements StorageBackend {
  readonly #queues: TaskQueues;

  protected constructor(queues: TaskQueues) {
    this.#queues = queues;
  }

  protected abstract readText(procedureId: string): Promise<string | null>;
  /** Must replace the text as a whole, or leave the old one. */
  protected abstract writeText(procedureId: string, text: string): Promise<void>;
  protected abstract removeText(procedureId: string): Promise<void>;
  protected abstract listIds(): Promise<string[]>;
  /** Names the place of a record in errors. */
  protected abstract placeOf(procedureId: string): string;

  async loadProcedureMetadata(procedureId: string): Promise<ProcedureMetadata> {
    return (await this.loadCheckpoint(procedureId)) ?? emptyMetadata(procedureId);
  }

  async saveProcedureMetadata(procedureId: string, metadata: ProcedureMetadata): Promise<void> {
    await this.saveCheckpoint(procedureId, metadata);
  }

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

  async saveCheckpoint(procedureId: string, data: JsonObject): Promise<void> {
    const text = toText(completeRecord(procedureId, data));
    await this.#queues.run(procedureId, () => this.writeText(procedureId, text));
  }

  async loadCheckpoint(procedureId: string): Promise<ProcedureMetadata | null> {
    const text = await this.readText(procedureId);
    if (text === null) return null;
    try {
      return completeRecord(procedureId, JSON.parse(text) as JsonValue);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const place = this.placeOf(procedureId);
      throw new TactusError('file_failed', `${place} is damaged, and was left as it is: ${reason}`, {
        place,
      });
    }
  }

  async deleteCheckpoint(procedureId: string): Promise<void> {
    await this.#queues.run(procedureId, () => this.removeText(procedureId));
  }

  async listCheckpoints({ status, prefix = '' }: CheckpointFilter = {}): Promise<string[]> {
    const found: string[] = [];
    for (const id of (await this.listIds()).sort()) {
      if (!id.startsWith(prefix)) continue;
      if (status === undefined || (await this.loadCheckpoint(id))?.status === status) found.push(id);
    }
    return found;
  }

  #change(procedureId: string, change: (record: ProcedureMetadata) => void): Promise<void> {
    return this.#queues.run(procedureId, async () => {
      const record = await this.loadProcedureMetadata(procedureId);
      change(record);
      await this.writeText(procedureId, toText(completeRecord(procedureId, record)));
    });
  }
}

function toText(record: ProcedureMetadata): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}
