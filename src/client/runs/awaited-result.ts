import type { Client } from '@temporalio/client';
import { TactusError } from '../../contract/errors.js';
import type { JsonValue } from '../../contract/json/json.js';
import { hasLiveWorker } from '../health/pollers.js';
import type { TactusRun } from '../tactus-run.js';
import type { StartOptions } from './start-input.js';

/** What `execute` takes besides what a start does. */
export interface ExecuteProcedureOptions extends StartOptions {
  /** Ends the waiting, with the signal's reason. The run goes on. */
  signal?: AbortSignal;
  /** Is told once that no worker polls the task queue; left out: a warning of the process (`TACTUS_NO_WORKER`) says so. */
  onNoWorker?: (error: TactusError) => void;
}

/** Workers that are just starting are waited for; then it is looked again, until it was told. */
const firstLookMs = 5_000;
const nextLookMs = 30_000;

/**
 * The output of a run, when it has ended. Where no worker takes it, whoever waits is told after some seconds.
 * @throws TactusError what the run failed with; the reason of the signal
 */
export async function awaitedResult(
  client: Client,
  taskQueue: string,
  run: TactusRun,
  { signal, onNoWorker = warn }: Pick<ExecuteProcedureOptions, 'signal' | 'onNoWorker'>,
): Promise<JsonValue> {
  signal?.throwIfAborted();
  const look = async (): Promise<void> => {
    const isServed = await hasLiveWorker(client, taskQueue).catch(() => null);
    if (isOver) return;
    if (isServed === false) onNoWorker(noWorker(run.runId, taskQueue));
    else timer = setTimeout(() => void look(), nextLookMs).unref();
  };
  let isOver = false;
  let timer = setTimeout(() => void look(), firstLookMs).unref();
  try {
    if (signal === undefined) return await run.result();
    const result = client.withAbortSignal(signal, () => run.result());
    return await new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      result.then(resolve, reject);
    });
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}

function noWorker(runId: string, taskQueue: string): TactusError {
  return new TactusError(
    'no_worker',
    `No worker polls the task queue "${taskQueue}": the run ${runId} waits for one. Start a worker there, or end the run with cancel`,
    { run_id: runId, task_queue: taskQueue },
  );
}

function warn({ message }: TactusError): void {
  process.emitWarning(message, { type: 'TactusWarning', code: 'TACTUS_NO_WORKER' });
}
