import type { Payload, PayloadCodec } from '@temporalio/common';
import { TactusError } from '../../contract/errors.js';
import type { LedgerFilter, LedgerRow, NumberedLedgerEvent } from '../../contract/graphs/ledger.js';
import { isObject, setOwn, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { KeyedQueue } from '../concurrency.js';
import { encodes } from '../payloads/has-payload-store.js';
import { decodedPayloads, encodedTexts } from '../payloads/payload-texts.js';
import {
  completeRecord,
  type CheckpointEntry,
  type Growth,
  type ProcedureMetadata,
} from './procedure-metadata.js';
import {
  CheckpointStorage,
  damagedRecord,
  type Awaitable,
  type CheckpointFilter,
  type StorageBackend,
} from './storage-backend.js';

/** The only key of an object that stands for a value: a Temporal payload, as base64. */
const encodedKey = '__payload__';

/**
 * A storage in which what a run has come to is kept as payload codecs make it, such as encrypted: its state, the results of its log, and variables.
 * Ids, statuses, kinds, times and lines stay readable, for lists. What was kept there before is read as it is. `stateSet` of several
 * processes at once may lose one.
 */
export class EncodedStorage extends CheckpointStorage implements StorageBackend {
  readonly append?: (procedureId: string, growth: Growth, ledger?: readonly LedgerRow[]) => Promise<boolean>;
  readonly appendNext?: (procedureId: string, growth: Growth) => Promise<boolean>;
  readonly supersede?: (
    procedureId: string,
    record: ProcedureMetadata,
    ledger?: readonly LedgerRow[],
  ) => Promise<boolean>;
  readonly addLedger?: (procedureId: string, rows: readonly LedgerRow[]) => Promise<void>;
  readonly readLedger?: (procedureId: string, filter: LedgerFilter) => Promise<NumberedLedgerEvent[]>;
  readonly fold?: (procedureId: string) => Awaitable<void>;
  private readonly queues = new KeyedQueue();

  /**
   * @param codecs those of a data converter, in its order
   * @param namespace of the runs: codecs are given it with the id of the run
   */
  constructor(
    private readonly storage: StorageBackend,
    private readonly codecs: readonly PayloadCodec[],
    private readonly namespace = 'default',
  ) {
    super();
    if (storage.append !== undefined)
      this.append = (id, growth, ledger = []) =>
        this.queues.run(id, async () => {
          const encoded = await this.encodedGrowth(id, growth);
          return (await storage.append?.(id, encoded, await this.encodedLedger(id, ledger))) === true;
        });
    if (storage.appendNext !== undefined)
      this.appendNext = (id, growth) =>
        this.queues.run(
          id,
          async () => (await storage.appendNext?.(id, await this.encodedGrowth(id, growth))) === true,
        );
    if (storage.supersede !== undefined)
      this.supersede = (id, record, ledger = []) =>
        this.queues.run(id, async () => {
          const encoded = await this.encodedRecord(id, record);
          return (await storage.supersede?.(id, encoded, await this.encodedLedger(id, ledger))) === true;
        });
    if (storage.addLedger !== undefined)
      this.addLedger = (id, rows) =>
        this.queues.run(id, async () => storage.addLedger?.(id, await this.encodedLedger(id, rows)));
    if (storage.readLedger !== undefined)
      this.readLedger = async (id, filter) =>
        this.decodedLedger((await storage.readLedger?.(id, filter)) ?? []);
    if (storage.fold !== undefined) this.fold = (id) => storage.fold?.(id);
  }

  /** @throws TactusError file_failed also where a codec doesn't take what is kept: another key, or none */
  override async loadCheckpoint(procedureId: string): Promise<ProcedureMetadata | null> {
    const record = await this.storage.loadCheckpoint(procedureId);
    if (record === null) return null;
    try {
      return await this.decodedRecord(record);
    } catch (error) {
      throw damagedRecord(`the record of ${JSON.stringify(procedureId)}`, error);
    }
  }

  override async saveCheckpoint(procedureId: string, data: JsonObject): Promise<void> {
    const record = completeRecord(procedureId, data);
    await this.queues.run(procedureId, async () =>
      this.storage.saveCheckpoint(procedureId, await this.encodedRecord(procedureId, record)),
    );
  }

  async updateProcedureStatus(...args: Parameters<StorageBackend['updateProcedureStatus']>): Promise<void> {
    await this.queues.run(args[0], async () => this.storage.updateProcedureStatus(...args));
  }

  async getState(procedureId: string): Promise<JsonObject> {
    const [state] = await this.decoded([await this.storage.getState(procedureId)]);
    return isObject(state ?? null) ? (state as JsonObject) : {};
  }

  async setState(procedureId: string, state: JsonObject): Promise<void> {
    if (!isObject(state)) throw new TactusError('usage', 'a state is a JSON object');
    await this.queues.run(procedureId, () => this.writeState(procedureId, state));
  }

  async stateSet(procedureId: string, key: string, value: JsonValue): Promise<void> {
    await this.queues.run(procedureId, async () => {
      const state = await this.getState(procedureId);
      setOwn(state, key, value);
      await this.writeState(procedureId, state);
    });
  }

  async deleteCheckpoint(procedureId: string): Promise<void> {
    await this.queues.run(procedureId, async () => this.storage.deleteCheckpoint(procedureId));
  }

  listCheckpoints(filter?: CheckpointFilter): Awaitable<string[]> {
    return this.storage.listCheckpoints(filter);
  }

  async close(): Promise<void> {
    await this.storage.close?.();
  }

  private async writeState(procedureId: string, state: JsonObject): Promise<void> {
    const [encoded] = await this.encoded(procedureId, [state]);
    await this.storage.setState(procedureId, encoded as JsonObject);
  }

  private async encodedRecord(id: string, record: ProcedureMetadata): Promise<ProcedureMetadata> {
    return mapped(record, (values) => this.encoded(id, values));
  }

  private async decodedRecord(record: ProcedureMetadata): Promise<ProcedureMetadata> {
    return mapped(record, (values) => this.decoded(values));
  }

  private async encodedGrowth(id: string, growth: Growth): Promise<Growth> {
    const { entries, state } = growth;
    const encode = (values: readonly JsonValue[]) => this.encoded(id, values);
    const record = await mapped({ execution_log: [...entries], state, lua_state: {} }, encode);
    return { ...growth, entries: record.execution_log, state: record.state };
  }

  /** Topics stay readable: it is them that are looked for. */
  private async encodedLedger(id: string, rows: readonly LedgerRow[]): Promise<LedgerRow[]> {
    const contents = await this.encoded(
      id,
      rows.map(({ key, data }) => ({ key, data })),
    );
    return rows.map((row, i) => ({ ...row, key: '', data: contents[i] as JsonObject }));
  }

  private async decodedLedger(events: readonly NumberedLedgerEvent[]): Promise<NumberedLedgerEvent[]> {
    const contents = await this.decoded(events.map(({ data }) => data));
    return events.map((event, i) =>
      isEncoded(event.data) ? { ...event, ...(contents[i] as JsonObject) } : event,
    );
  }

  /** Nothing stays as it is: it tells nothing, and others look for it. */
  private async encoded(runId: string, values: readonly JsonValue[]): Promise<JsonValue[]> {
    const owner = { type: 'workflow', namespace: this.namespace, workflowId: runId } as const;
    return this.through(values, isTold, async (told) => {
      // Large payloads are kept elsewhere for the server's sake alone: a storage takes them.
      const texts = await encodedTexts(told.map(toPayload), this.codecs.filter(encodes), owner);
      return texts.map((text) => ({ [encodedKey]: text }));
    });
  }

  private async decoded(values: readonly JsonValue[]): Promise<JsonValue[]> {
    return this.through(values, isEncoded, async (encoded) => {
      const texts = encoded.map((value) => (value as { [encodedKey]: string })[encodedKey]);
      const payloads = await decodedPayloads(texts, this.codecs);
      return payloads.map(({ data }) => JSON.parse(Buffer.from(data ?? []).toString()) as JsonValue);
    });
  }

  /** What `convert` makes of those that are meant, all at once; the others as they are. */
  private async through(
    values: readonly JsonValue[],
    isMeant: (value: JsonValue) => boolean,
    convert: (values: JsonValue[]) => Promise<JsonValue[]>,
  ): Promise<JsonValue[]> {
    const meant = values.filter(isMeant);
    if (meant.length === 0) return [...values];
    const converted = await convert(meant);
    let next = 0;
    return values.map((value) => (isMeant(value) ? (converted[next++] ?? null) : value));
  }
}

/** A storage as one that has these codecs keeps what is mirrored there: encoded, where any of them does that, and it isn't already. */
export function encodedBy(
  storage: StorageBackend,
  codecs: readonly PayloadCodec[] = [],
  namespace?: string,
): StorageBackend {
  const meant = codecs.filter(encodes);
  return meant.length === 0 || storage instanceof EncodedStorage
    ? storage
    : new EncodedStorage(storage, meant, namespace);
}

type Content = Pick<ProcedureMetadata, 'execution_log' | 'state' | 'lua_state'>;

/** A record whose contents are what `convert` makes of them. */
async function mapped<T extends Content>(
  record: T,
  convert: (values: readonly JsonValue[]) => Promise<JsonValue[]>,
): Promise<T> {
  const { execution_log: log, state, lua_state } = record;
  const results = log.flatMap(({ result, captured_vars }) => [result, captured_vars]);
  const converted = await convert([state, lua_state, ...results]);
  const [newState, newLuaState, ...rest] = converted;
  return {
    ...record,
    state: newState as JsonObject,
    lua_state: newLuaState as JsonObject,
    execution_log: log.map((entry, i) => ({
      ...entry,
      result: rest[2 * i] ?? null,
      captured_vars: (rest[2 * i + 1] ?? null) as CheckpointEntry['captured_vars'],
    })),
  };
}

function isTold(value: JsonValue): boolean {
  return value !== null && !(isObject(value) && Object.keys(value).length === 0);
}

function isEncoded(value: JsonValue): boolean {
  return isObject(value) && Object.keys(value).join() === encodedKey && typeof value[encodedKey] === 'string';
}

function toPayload(value: JsonValue): Payload {
  return { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from(JSON.stringify(value)) };
}
