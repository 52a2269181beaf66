import { hasCode, TactusError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json/json.js';
import type { TactusClient } from '../tactus-client.js';
import type { DurableLoopOptions } from './durable-loop-options.js';
import { clearedReason, isIncomplete } from './found-loop.js';
import { SessionSnapshot } from './session-snapshot.js';
import { WorkerLoop } from './worker-loop.js';

/**
 * The store of a worker's loop, as WINK has it. Nothing is kept here: the run is the store, and these are readings of it. What WINK writes
 * into files is here what a run is begun with, and what it records by itself.
 */
export class CheckpointStore<Request extends JsonValue = JsonValue> {
  private readonly loop: WorkerLoop;

  /** @throws TactusError usage of an identity that can't be part of an id */
  constructor(tactus: TactusClient, options: DurableLoopOptions) {
    this.loop = new WorkerLoop(tactus, options);
  }

  /**
   * Begins a loop with a request. Where that very loop is incomplete, it goes on.
   * @throws TactusError run_conflict where another one is incomplete; what the start refuses
   */
  async persistRequest(request: Request): Promise<void> {
    await this.loop.goOn(request);
  }

  /** Reads the request of the newest loop. @throws TactusError run_not_found where there is none, or it was cleared */
  async loadRequest(): Promise<Request> {
    const { request } = await this.loop.findAny();
    return request as Request;
  }

  /**
   * Makes sure that what the loop has come to is recorded, and gives it. A run records each checkpoint as it happens, so there is nothing
   * that could be written here.
   * @throws TactusError as `loadCheckpoint`
   */
  persistCheckpoint(): Promise<SessionSnapshot> {
    return this.loadCheckpoint();
  }

  /**
   * Reads the session that the loop goes on from. A worker answers.
   * @throws TactusError run_not_found
   */
  async loadCheckpoint(): Promise<SessionSnapshot> {
    const loop = await this.loop.findAny();
    const [session, { procedure }] = [await loop.run.session(), await loop.run.status()];
    return SessionSnapshot.ofSession(session, { runId: loop.run.runId, procedure });
  }

  /** Tells whether a loop is incomplete: it is open, or has failed before its deadline. */
  async hasIncomplete(): Promise<boolean> {
    return isIncomplete(await this.loop.find());
  }

  /**
   * Makes sure that the loop is completed. Only its procedure completes it, by giving its output.
   * @throws TactusError usage where it isn't; run_not_found
   */
  async markCompleted(): Promise<void> {
    const loop = await this.loop.findAny();
    if (loop.status === 'completed') return;
    throw new TactusError(
      'usage',
      `The loop ${loop.run.runId} is completed once its procedure returns: it can't be marked. Wait for it with execute(), or give it up with clear()`,
      { run_id: loop.run.runId },
    );
  }

  /** Gives up the loop: an open one is terminated, and nobody goes on with one that has failed. Its history stays on the server. */
  async clear(): Promise<void> {
    const loop = await this.loop.find();
    if (loop === null || loop.status === 'given up') return;
    if (loop.status !== 'open') await this.loop.bury(loop.run);
    else
      await loop.run.terminate(clearedReason).catch((error: unknown) => {
        if (!hasCode(error, 'run_not_found')) throw error;
      });
  }
}
