import type { LedgerRow } from '../../contract/graphs/ledger.js';
import { isObject, setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { KeyedQueue } from '../concurrency.js';
import {
  completeGrowth,
  completeRecord,
  emptyMetadata,
  readMark,
  type CheckpointEntry,
  type Growth,
  type MirrorMark,
  type ProcedureMetadata,
} from './procedure-metadata.js';
import {
  CheckpointStorage,
  damagedRecord,
  type CheckpointFilter,
  type StorageBackend,
} from './storage-backend.js';

/**
 * A storage backend over a database that keeps a record by parts, and its log an entry each: adding to a log costs the same
 * however long it is. Changes of one procedure follow each other in the order in which they were told; those of other
 * processes the database itself must keep from overtaking each other.
 */
export abstract class PartsStorage extends CheckpointStorage implements StorageBackend {
  readonly #queues = new KeyedQueue();

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
  protected abstract supersedeRecord(
    procedureId: string,
    record: ProcedureMetadata,
    ledger: readonly LedgerRow[],
  ): Promise<boolean>;
  /** Changes the state to what the function makes of it, with nobody in between. */
  protected abstract changeState(
    procedureId: string,
    change: (state: string | null) => string,
  ): Promise<void>;
  /**
   * Adds entries and puts the head, with its mark, in place of the old one; nothing, and true, where the old mark comes after.
   */
  protected abstract appendEntries(
    procedureId: string,
    growth: Growth,
    appending: Appending,
  ): Promise<boolean>;
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

  async append(procedureId: string, growth: Growth, ledger: readonly LedgerRow[] = []): Promise<boolean> {
    const complete = completeGrowth(procedureId, growth);
    const appending = { isNext: false, ledger };
    return this.#queues.run(procedureId, () => this.appendEntries(procedureId, complete, appending));
  }

  async appendNext(procedureId: string, growth: Growth): Promise<boolean> {
    const complete = completeGrowth(procedureId, growth);
    const appending = { isNext: true, ledger: [] };
    return this.#queues.run(procedureId, () => this.appendEntries(procedureId, complete, appending));
  }

  async supersede(
    procedureId: string,
    record: ProcedureMetadata,
    ledger: readonly LedgerRow[] = [],
  ): Promise<boolean> {
    const complete = completeRecord(procedureId, record);
    return this.#queues.run(procedureId, () => this.supersedeRecord(procedureId, complete, ledger));
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

/** How entries are added. */
export interface Appending {
  /** Whether exactly `from` entries must be there, and not only so many. */
  isNext: boolean;
  /** Events that are kept in the same transaction, by a database that has ledgers. */
  ledger: readonly LedgerRow[];
}

/**
 * What of a record isn't its log, by name, as databases keep it. All texts but ids are JSON, as which any text can be kept.
 * Those of a change are the ones that it changes.
 */
export type Columns = Record<string, string | number | null>;

/** A record as databases keep it: `entries` of the columns counts those of the log, `odd_log` has a log that has no rows. */
export interface RecordParts {
  columns: Columns;
  /** The log, an entry each, in the order of their positions. */
  log: readonly string[];
}

/** What of a record isn't its log, as columns. */
export function toColumns(record: ProcedureMetadata): Columns {
  const { procedure_id: _id, execution_log: log, ...head } = record;
  const { status, waiting_on_message_id, replay_index, state, ...others } = head;
  const isOdd = !hasRows(log);
  return {
    ...columnsOf({ status, waiting_on_message_id, replay_index, state }),
    others: JSON.stringify(others),
    entries: isOdd ? 0 : log.length,
    odd_log: isOdd ? JSON.stringify(log) : null,
  };
}

/** Parts of a record as columns. */
export function columnsOf(parts: JsonObject): Columns {
  return Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, JSON.stringify(value)]));
}

/** The mark of the record whose columns these are; null where it has none, or can't be read. */
export function markIn({ others }: Columns): MirrorMark | null {
  try {
    return readMark((parsed(others ?? '{}') as JsonObject)['mirrored']);
  } catch {
    return null;
  }
}

/** The columns of a mark: what else is kept beside it stays. */
export function markColumns({ others }: Columns, mirrored: MirrorMark): Columns {
  return {
    others: JSON.stringify({ ...(parsed(others ?? emptyColumns['others']) as JsonObject), mirrored }),
  };
}

/** What stands in the columns that a first change doesn't name. */
export const emptyColumns: Columns = toColumns(emptyMetadata(''));

/** Whether a log can be kept as rows that are found by their positions, and come in their order. */
export function hasRows(log: readonly CheckpointEntry[]): boolean {
  return log.every(
    ({ position }, i) => Number.isSafeInteger(position) && position > (log[i - 1]?.position ?? -1),
  );
}

/** @throws Error where the parts don't make a record */
function toRecord(procedureId: string, { columns, log }: RecordParts): ProcedureMetadata {
  const { status, waiting_on_message_id, replay_index, state, others, odd_log } = columns;
  if (Number(columns['entries']) !== log.length)
    throw new Error(`it has ${log.length} entries, where there were ${columns['entries']}`);
  return completeRecord(procedureId, {
    ...(parsed(others) as JsonObject),
    procedure_id: procedureId,
    execution_log: typeof odd_log === 'string' ? parsed(odd_log) : log.map(parsed),
    replay_index: parsed(replay_index),
    state: parsed(state),
    status: parsed(status),
    waiting_on_message_id: parsed(waiting_on_message_id),
  });
}

/** @throws Error where the text is no state */
function toState(text: string | null): JsonObject {
  const state = text === null ? {} : parsed(text);
  if (!isObject(state)) throw new Error('its state is no JSON object');
  return state;
}

function parsed(value: Columns[string] | undefined): JsonValue {
  return JSON.parse(String(value)) as JsonValue;
}
