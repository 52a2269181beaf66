import { hasCode, TactusError } from '../../contract/errors.js';
import { asJson, canonicalJson, defined, type JsonValue } from '../../contract/json/json.js';
import { workflowType } from '../../contract/names.js';
import { readAgain } from '../changes/retry.js';
import type { TactusClient } from '../tactus-client.js';
import type { TactusRun } from '../tactus-run.js';
import type { DurableLoopOptions } from './durable-loop-options.js';
import { Deadline, DeadlineExceededError } from './deadline.js';
import { clearedReason, findLoop, isIncomplete, loopIdOf, type FoundLoop } from './found-loop.js';

/** The loop ends itself past its deadline; one that only waits then is ended by the server, so much later. */
const graceMs = 30_000;
/** Nobody sees it in between. */
const unseenFor = '1m';
/** So often somebody else may have been faster. */
const mostTries = 5;

/** Finds, begins, goes on with and gives up the loops of a worker. */
export class WorkerLoop {
  constructor(
    private readonly tactus: TactusClient,
    private readonly options: DurableLoopOptions,
  ) {
    loopIdOf(options.worker);
  }

  /** @throws TactusError run_not_found where there is none, or it was given up */
  async findAny(): Promise<FoundLoop> {
    const loop = await this.find();
    return loop === null || loop.status === 'given up' ? this.none('no loop') : loop;
  }

  /** The newest loop; null where there is none. */
  find(): Promise<FoundLoop | null> {
    return findLoop(this.tactus, this.options.worker);
  }

  /**
   * Finds the run to wait for: the incomplete loop, where it is that of the request, or a new one.
   * @param request undefined: the incomplete one, whatever its request
   */
  async goOn(request: JsonValue | undefined): Promise<{ run: TactusRun; isResumed: boolean }> {
    for (let tries = 1; ; tries++) {
      const loop = await this.find();
      const isSame = loop !== null && (request === undefined || isSameJson(loop.request, request));
      if (isIncomplete(loop) && !isSame) throw this.conflict(loop);
      if (loop?.status === 'open') return { run: loop.run, isResumed: true };
      if (loop?.status === 'expired' && isSame) throw expired(loop);
      try {
        if (loop?.status === 'failed') return { run: await this.again(loop), isResumed: true };
        const begun = request ?? this.none('no incomplete loop');
        return { run: await this.begin(begun), isResumed: false };
      } catch (error) {
        // Somebody else was faster: theirs is the loop.
        if (!hasCode(error, 'run_conflict') || tries === mostTries) throw error;
      }
    }
  }

  private async begin(request: JsonValue): Promise<TactusRun> {
    const { worker, source, deadline: given, checkpointTrigger, start } = this.options;
    const deadline = typeof given === 'string' ? Deadline.in(given) : given;
    const input = asJson({
      request,
      ...defined({
        deadline: deadline?.expiresAt.toISOString(),
        checkpoint_on: checkpointTrigger?.checkpointOn,
      }),
    });
    return this.tactus.start(source, input, {
      ...start,
      ...defined({ timeout: deadline && timeoutUntil(deadline.expiresAt.getTime()) }),
      ...{ runId: loopIdOf(worker), followsClosed: true },
    });
  }

  /** The next attempt: it goes on with what the last one has recorded. */
  private async again({ run, deadline, firstExecutionId }: FoundLoop): Promise<TactusRun> {
    const { source } = this.options;
    const timeout = deadline === null ? {} : { timeout: timeoutUntil(deadline) };
    return this.tactus.startFork(await readAgain(run, { source, firstExecutionId, ...timeout }));
  }

  /** Puts an execution behind the loop that no worker ever sees: the newest one is given up. */
  async bury({ runId }: TactusRun): Promise<void> {
    const { workflow } = this.tactus.client;
    const handle = await workflow.start(workflowType, {
      args: [{ procedure: clearedReason, input: {} }],
      workflowId: runId,
      taskQueue: this.tactus.taskQueue,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      startDelay: unseenFor,
      staticSummary: clearedReason,
    });
    await handle.terminate(clearedReason);
  }

  private conflict({ run: { runId } }: FoundLoop): TactusError {
    const message = `The loop ${runId} is incomplete, and has another request. Go on with it by execute() without a request, or give it up with clear()`;
    return new TactusError('run_conflict', message, { run_id: runId });
  }

  /** @throws TactusError run_not_found */
  private none(what: string): never {
    const { worker } = this.options;
    throw new TactusError('run_not_found', `The worker ${worker} has ${what}: begin one with a request`, {
      run_id: loopIdOf(worker),
    });
  }
}

/** @throws DeadlineExceededError */
export function expired({ run: { runId }, deadline }: FoundLoop): DeadlineExceededError {
  const when = deadline === null ? '' : ` It was ${new Date(deadline).toISOString()}.`;
  return new DeadlineExceededError(
    `DeadlineExceededError: the deadline of the loop ${runId} is over: no attempt begins any more.${when} Begin anew with another request, or after clear()`,
    runId,
  );
}

function timeoutUntil(deadline: number): string {
  return `${Math.max(1, deadline - Date.now()) + graceMs}ms`;
}

function isSameJson(one: JsonValue, other: JsonValue): boolean {
  return canonicalJson(one) === canonicalJson(other);
}
