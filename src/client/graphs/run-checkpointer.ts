import { TactusError } from '../../contract/errors.js';
import { startOfRun } from '../runs/start-input.js';
import { filteredLedger } from '../storage/ledger.js';
import type { TactusClient } from '../tactus-client.js';
import { readGraphState, type GraphView } from './graph-state.js';
import type { IntentView } from '../../contract/graphs/recorded-intents.js';
import { toStateSnapshot, type CheckpointReader, type StateSnapshot } from './state-snapshot.js';

/** An event of a thread's ledger. */
export interface ThreadLedgerEvent {
  topic: string;
  key: string;
  data: Record<string, unknown>;
  /** The super-step that it came with. */
  step: number;
  /** 1 for the first of the thread: hand it over as `after` to go on behind it. */
  number: number;
}

/** Reads checkpoints, ledger and intents of threads from the logs of their runs. */
export class RunCheckpointer<V = Record<string, unknown>> implements CheckpointReader<V> {
  constructor(readonly client: TactusClient) {}

  async getCheckpoint(threadId: string): Promise<StateSnapshot<V> | null> {
    return (await this.getCheckpointHistory(threadId)).at(-1) ?? null;
  }

  async getCheckpointById(threadId: string, checkpointId: string): Promise<StateSnapshot<V> | null> {
    const history = await this.getCheckpointHistory(threadId);
    return history.find((each) => each.checkpointId === checkpointId) ?? null;
  }

  async getCheckpointHistory(threadId: string): Promise<StateSnapshot<V>[]> {
    const view = await this.viewOf(threadId);
    const own = view?.snapshots.filter(({ thread }) => thread === threadId) ?? [];
    return own.map((each) => toStateSnapshot<V>(each));
  }

  get(threadId: string): Promise<StateSnapshot<V> | null> {
    return this.getCheckpoint(threadId);
  }

  getHistory(threadId: string): Promise<StateSnapshot<V>[]> {
    return this.getCheckpointHistory(threadId);
  }

  /**
   * Refuses: each checkpoint of a thread is an entry of the log of its run.
   * @throws TactusError usage
   */
  putCheckpoint(threadId: string): Promise<never> {
    return Promise.reject(
      new TactusError(
        'usage',
        `The checkpoints of thread ${threadId} are entries of the log of its run, which nobody else writes. An executor of your own keeps its checkpoints with checkpointSaver(storage)`,
      ),
    );
  }

  /** Events of the ledger, the oldest first; `after` is the number of the last event that is known. */
  async getLedger(
    threadId: string,
    filter: { topic?: string; after?: number } = {},
  ): Promise<ThreadLedgerEvent[]> {
    return filteredLedger((await this.viewOf(threadId))?.ledger ?? [], filter);
  }

  /** The messages that nodes wanted sent, and what became of each. */
  async getIntents(threadId: string): Promise<IntentView[]> {
    return (await this.viewOf(threadId))?.intents ?? [];
  }

  private async viewOf(threadId: string): Promise<GraphView | null> {
    if ((await startOfRun(this.client.client, threadId)) === null) return null;
    return readGraphState(this.client.attach(threadId));
  }
}
