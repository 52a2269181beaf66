import { hasCode, TactusError } from '../../contract/errors.js';
import { defined, type JsonValue } from '../../contract/json/json.js';
import { isOver, type RunStatus } from '../../contract/runs/run-view.js';
import type { ExecuteProcedureOptions } from '../runs/awaited-result.js';
import type { TactusClient } from '../tactus-client.js';
import { CheckpointStore } from './checkpoint-store.js';
import type { DurableLoopOptions } from './durable-loop-options.js';
import { findLoop, isIncomplete, loopPrefix } from './found-loop.js';
import { expired, WorkerLoop } from './worker-loop.js';

/** What a loop has come to. */
export interface LoopResponse<Output = JsonValue> {
  output: Output;
  runId: string;
  /** Whether it had begun before: by another process, or in an attempt that failed. */
  isResumed: boolean;
}

export interface DurableMainLoopOptions<Output> extends DurableLoopOptions {
  /** Checks the output and gives it its type; an error of it is the caller's. Left out: it is taken as it is. */
  parseOutput?: ((output: JsonValue) => Output) | undefined;
}

/** A loop that somebody may go on with. */
export interface IncompleteLoop {
  worker: string;
  runId: string;
  /** `failed`: the next `execute` goes on with it. The others go on by themselves, as soon as a worker is there. */
  status: RunStatus;
  startedAt: string;
}

const pageSize = 100;

/**
 * A piece of work that is done once, however often the process that wants it dies: WINK's `DurableMainLoop` over a run. The run goes on in
 * whatever worker is there; this finds it by the identity of the worker, and waits for it.
 */
export class DurableMainLoop<
  Request extends JsonValue = JsonValue,
  Output = JsonValue,
> extends CheckpointStore<Request> {
  private readonly ofWorker: WorkerLoop;

  /** @throws TactusError usage of an identity that can't be part of an id */
  constructor(
    private readonly tactus: TactusClient,
    private readonly options: DurableMainLoopOptions<Output>,
  ) {
    super(tactus, options);
    this.ofWorker = new WorkerLoop(tactus, options);
  }

  /**
   * Begins a loop with a request, or goes on with the incomplete one, and waits for its output.
   * @param request left out: the incomplete loop goes on
   * @throws DeadlineExceededError where its deadline is over
   * @throws TactusError run_not_found where there is nothing to go on with; run_conflict where another request is incomplete; what
   *   the procedure failed with: the next call goes on with it
   */
  async execute(
    request?: Request,
    waiting: Pick<ExecuteProcedureOptions, 'signal' | 'onNoWorker'> = {},
  ): Promise<LoopResponse<Output>> {
    const { run, isResumed } = await this.ofWorker.goOn(request);
    const output = await this.outputOf(run, waiting);
    const { parseOutput } = this.options;
    return {
      output: parseOutput === undefined ? (output as Output) : parseOutput(output),
      ...{ runId: run.runId, isResumed },
    };
  }

  private async outputOf(
    run: Parameters<TactusClient['result']>[0],
    waiting: Pick<ExecuteProcedureOptions, 'signal' | 'onNoWorker'>,
  ): Promise<JsonValue> {
    try {
      return await this.tactus.result(run, { ...defined(waiting) });
    } catch (error) {
      // Not the deadline of somebody who waits.
      if (!hasCode(error, 'deadline_exceeded', 'cancelled')) throw error;
      const loop = await this.ofWorker.find();
      throw loop?.status === 'expired' ? expired(loop) : error;
    }
  }

  /**
   * Lists the incomplete loops of all workers, the newest first. The server's list may lag a moment behind.
   * @throws TactusError config_invalid where the client's index has the runs of another namespace
   */
  static async listIncomplete(tactus: TactusClient): Promise<IncompleteLoop[]> {
    const found: IncompleteLoop[] = [];
    const seen = new Set<string>();
    let after: string | undefined;
    do {
      const page = await tactus.list({ prefix: loopPrefix, limit: pageSize, ...defined({ after }) });
      for (const { run_id: runId, status, started_at: startedAt } of page.runs) {
        if (seen.has(runId)) continue;
        seen.add(runId);
        const worker = runId.slice(loopPrefix.length);
        if (await mayGoOn(tactus, worker, status)) found.push({ worker, runId, status, startedAt });
      }
      after = page.next ?? undefined;
    } while (after !== undefined);
    return found;
  }
}

/** Why one failed isn't in the list. */
async function mayGoOn(tactus: TactusClient, worker: string, status: RunStatus): Promise<boolean> {
  if (!isOver(status)) return true;
  if (status !== 'failed') return false;
  try {
    return isIncomplete(await findLoop(tactus, worker));
  } catch (error) {
    if (error instanceof TactusError) return false;
    throw error;
  }
}
