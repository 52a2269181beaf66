import { digestOf } from '../../contract/effects/digest.js';
import { TactusError } from '../../contract/errors.js';
import { isObject, jsonSize, type JsonObject, type JsonValue } from '../../contract/json/json.js';
import { defaultLimits } from '../../contract/runs/limits.js';
import { KeyedQueue } from '../concurrency.js';
import { addNext } from '../storage/ledger.js';
import { openStorage } from '../storage/open-storage.js';
import type { CheckpointEntry } from '../storage/procedure-metadata.js';
import { damagedRecord, type StorageBackend } from '../storage/storage-backend.js';
import { readSaved, storedSnapshot, type SavedCheckpoint } from './saved-checkpoint.js';

/** Keeps the checkpoints of threads for an executor of your own, by the names of Zupa's code and by those of its design. */
export interface Checkpointer<V = Record<string, unknown>> {
  /**
   * Adds a checkpoint to a thread. Put again, it is there once.
   * @throws TactusError usage, value_not_json, payload_too_large, and then nothing is written; file_failed
   */
  putCheckpoint(threadId: string, snapshot: SavedCheckpoint<V>): Promise<void>;
  /** Gives the checkpoint that was added last; null where the thread has none. */
  getCheckpoint(threadId: string): Promise<SavedCheckpoint<V> | null>;
  /** Gives the checkpoint of an id; null where the thread has none of it. */
  getCheckpointById(threadId: string, checkpointId: string): Promise<SavedCheckpoint<V> | null>;
  /** Gives all checkpoints of a thread in the order in which they were added. */
  getCheckpointHistory(threadId: string): Promise<SavedCheckpoint<V>[]>;
  /** Does the same as `putCheckpoint`. */
  put(threadId: string, snapshot: SavedCheckpoint<V>): Promise<void>;
  /** Does the same as `getCheckpoint`. */
  get(threadId: string): Promise<SavedCheckpoint<V> | null>;
  /** Does the same as `getCheckpointHistory`. */
  getHistory(threadId: string): Promise<SavedCheckpoint<V>[]>;
  /** Asks the storage whether it answers. */
  start(): Promise<void>;
  /** Lets go of a storage that this has opened by its address. */
  close(): Promise<void>;
}

export interface CheckpointSaverOptions {
  /** Most bytes of a checkpoint as JSON; 1,500,000 if left out. */
  maxBytes?: number;
}

/** How the ids of the records of threads begin, among those of procedures. */
const threadPrefix = 'thread:';
const entryType = 'graph_checkpoint';
const lastKey = 'last';
/** Threads of which is known what they have. */
const mostThreads = 1_000;
/** So often in a row somebody else may be faster. */
const mostTries = 1_000;

/**
 * Makes a checkpointer over a storage: one that is open, or the address of one, such as `sqlite:threads.sqlite`, which is opened when it is needed first.
 */
export function checkpointSaver<V = Record<string, unknown>>(
  storage: StorageBackend | string,
  { maxBytes = defaultLimits.payloadBytes }: CheckpointSaverOptions = {},
): Checkpointer<V> {
  return new StorageCheckpointer<V>(storage, maxBytes);
}

/** How many entries a thread has, and the digests of its checkpoints, by their ids. */
interface Known {
  count: number;
  digests: Map<string, string>;
}

/**
 * Keeps each thread as a record of a storage: a checkpoint is an entry of its log, and the last one its state.
 *
 * Owns: what it knows of the threads that were written last.
 * Asks: the storage to add an entry only where nobody else has.
 * Invariants:
 *  1. A checkpoint that is there is never changed.
 *  2. What is known of a thread is dropped before it is asked again for what somebody else has added, and where a write failed.
 */
class StorageCheckpointer<V> implements Checkpointer<V> {
  private readonly known = new Map<string, Known>();
  private readonly queues = new KeyedQueue();
  private opened: Promise<StorageBackend> | null = null;

  constructor(
    private readonly given: StorageBackend | string,
    private readonly maxBytes: number,
  ) {}

  async putCheckpoint(threadId: string, snapshot: SavedCheckpoint<V>): Promise<void> {
    const recordId = recordIdOf(threadId);
    const stored = storedSnapshot(snapshot);
    const bytes = jsonSize(stored);
    if (bytes > this.maxBytes)
      throw new TactusError(
        'payload_too_large',
        `A checkpoint of ${bytes} bytes is larger than the ${this.maxBytes} that can be kept`,
        { bytes, limit: this.maxBytes },
      );
    const storage = await this.storage();
    await this.queues.run(recordId, () => this.add(storage, recordId, snapshot, stored));
  }

  async getCheckpoint(threadId: string): Promise<SavedCheckpoint<V> | null> {
    const recordId = recordIdOf(threadId);
    const state = await (await this.storage()).getState(recordId);
    const { [lastKey]: last = null } = state;
    return last === null ? null : readSaved<V>(recordId, last);
  }

  async getCheckpointById(threadId: string, checkpointId: string): Promise<SavedCheckpoint<V> | null> {
    const recordId = recordIdOf(threadId);
    const found = (await this.entries(recordId)).find(({ result }) => idOf(result) === checkpointId);
    return found === undefined ? null : readSaved<V>(recordId, found.result);
  }

  async getCheckpointHistory(threadId: string): Promise<SavedCheckpoint<V>[]> {
    const recordId = recordIdOf(threadId);
    return (await this.entries(recordId)).map(({ result }) => readSaved<V>(recordId, result));
  }

  put(threadId: string, snapshot: SavedCheckpoint<V>): Promise<void> {
    return this.putCheckpoint(threadId, snapshot);
  }

  get(threadId: string): Promise<SavedCheckpoint<V> | null> {
    return this.getCheckpoint(threadId);
  }

  getHistory(threadId: string): Promise<SavedCheckpoint<V>[]> {
    return this.getCheckpointHistory(threadId);
  }

  async start(): Promise<void> {
    await (await this.storage()).listCheckpoints({ limit: 1 });
  }

  async close(): Promise<void> {
    const { opened } = this;
    this.opened = null;
    this.known.clear();
    await (await opened?.catch(() => null))?.close?.();
  }

  private async add(
    storage: StorageBackend,
    recordId: string,
    { checkpointId, createdAt, nextTasks }: SavedCheckpoint<V>,
    stored: JsonObject,
  ): Promise<void> {
    const digest = digestOf(stored);
    for (let tries = 0; tries < mostTries; tries++) {
      const known = this.known.get(recordId) ?? (await this.read(recordId));
      const before = known.digests.get(checkpointId);
      if (before === digest) return;
      if (before !== undefined) throw another(recordId, checkpointId);
      const entry: CheckpointEntry = {
        ...{ position: known.count, type: entryType, result: stored },
        timestamp: createdAt.toISOString().replace('Z', '+00:00'),
        ...{
          duration_ms: null,
          input_hash: digest,
          run_id: null,
          source_location: null,
          captured_vars: null,
        },
      };
      // It is no run: nobody is to look after it.
      const head = { state: { [lastKey]: stored, next: nextTasks.length }, status: 'COMPLETED' };
      this.known.delete(recordId);
      const growth = { from: known.count, entries: [entry], ...head, waiting_on_message_id: null };
      if (await addNext(storage, recordId, growth)) {
        known.digests.set(checkpointId, digest);
        this.know(recordId, { ...known, count: known.count + 1 });
        return;
      }
    }
    throw new TactusError('file_failed', `${recordId} is changed by others all the time: try again`, {
      place: recordId,
    });
  }

  private async read(recordId: string): Promise<Known> {
    const entries = await this.entries(recordId);
    const digests = entries.map(({ result, input_hash }) => [idOf(result), input_hash ?? ''] as const);
    return this.know(recordId, { count: entries.length, digests: new Map(digests) });
  }

  private know(recordId: string, known: Known): Known {
    const oldest = this.known.size < mostThreads ? undefined : this.known.keys().next().value;
    if (oldest !== undefined) this.known.delete(oldest);
    this.known.set(recordId, known);
    return known;
  }

  private async entries(recordId: string): Promise<CheckpointEntry[]> {
    const { execution_log: log } = await (await this.storage()).loadProcedureMetadata(recordId);
    return log;
  }

  private storage(): Promise<StorageBackend> {
    const { given } = this;
    if (typeof given !== 'string') return Promise.resolve(given);
    const opening = (this.opened ??= openStorage(given));
    opening.catch(() => {
      if (this.opened === opening) this.opened = null;
    });
    return opening;
  }
}

/** @throws TactusError usage */
function recordIdOf(threadId: string): string {
  if (typeof threadId === 'string' && threadId !== '') return threadPrefix + threadId;
  throw new TactusError('usage', `${JSON.stringify(threadId)} is no id of a thread`);
}

function idOf(stored: JsonValue): string {
  const id = isObject(stored) ? stored['checkpointId'] : null;
  if (typeof id === 'string') return id;
  throw damagedRecord('an entry of a thread', new Error('it is no checkpoint'));
}

function another(recordId: string, checkpointId: string): TactusError {
  return new TactusError(
    'usage',
    `${recordId} has another checkpoint ${checkpointId}: a checkpoint is never changed. Give the new one an id of its own`,
  );
}
