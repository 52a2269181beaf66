import type { Connection } from '@temporalio/client';
import { isUnanswered } from '../client/runs/is-unanswered.js';
import { TactusError } from '../contract/errors.js';
import { workerCommand } from './worker/worker-command.js';

/** The connection that questions go over, and what an error says of it. */
export interface AskedServer {
  connection: Connection;
  target: { address: string; taskQueue: string; namespace: string };
  /** The embedded server; null where another one was named. */
  embedded: object | null;
}

/**
 * Asks a run something, bounded in time, and again where no answer comes: the server may have handed the question to a
 * worker that was just ending. `attempts`: how long to wait each time, in ms; `isWorthwhile` says whether to try again.
 * The question may be asked twice.
 * @throws TactusError no_worker saying how long was waited
 */
export async function boundedAsk<T>(
  server: AskedServer,
  question: () => Promise<T>,
  attempts: readonly number[],
  isWorthwhile: () => Promise<boolean> = () => Promise.resolve(true),
): Promise<T> {
  const start = Date.now();
  for (const [times, ms] of attempts.entries()) {
    if (times > 0 && !(await isWorthwhile())) break;
    try {
      return await server.connection.withDeadline(Date.now() + ms, question);
    } catch (error) {
      if (!isUnanswered(error)) throw error;
    }
  }
  throw noWorker(server, Math.max(1, Math.round((Date.now() - start) / 1_000)));
}

function noWorker({ embedded, target }: AskedServer, seconds: number): TactusError {
  const { address, taskQueue } = target;
  const advice =
    embedded === null ? `Start one: ${workerCommand({ embedded, target })}` : 'See: tactus-temporal doctor';
  return new TactusError(
    'no_worker',
    `No worker answers on the task queue "${taskQueue}" at ${address}; waited ${seconds} s. ${advice}`,
    { address, task_queue: taskQueue, waited_s: seconds },
  );
}
