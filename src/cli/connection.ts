import { Connection } from '@temporalio/client';
import { dirname, relative } from 'node:path';
import { loadClientConnectConfig } from './envconfig.js';
import { defaultTaskQueue } from '../contract/names.js';
import { TactusError, type CommonOptions, flagsText, programHere } from './command.js';
import { isUnanswered } from '../client/index.js';
import type { FilesFolder } from './configure.js';

const connectMs = 10_000;
/** Whoever looks on is told that an answer doesn't come. */
export const silenceMs = 3_000;

type ConnectionOptions = ReturnType<typeof loadClientConnectConfig>['connectionOptions'];

/** Which server a command is meant for. */
export interface ConnectionTarget {
  /** null: the embedded server of the working folder. */
  connection: (ConnectionOptions & { address: string }) | null;
  namespace: string;
  taskQueue: string;
}

/** Flags first, then Temporal's environment variables and profiles; where none names an address, the embedded server. */
export function connectionTarget(options: CommonOptions): ConnectionTarget {
  const { connectionOptions, namespace } = loadClientConnectConfig();
  const address = options.address ?? connectionOptions.address;
  const taskQueue = options.taskQueue ?? defaultTaskQueue;
  if (address === undefined || address === '')
    return { connection: null, namespace: options.namespace ?? 'default', taskQueue };
  return {
    connection: { ...connectionOptions, address },
    namespace: options.namespace ?? namespace ?? 'default',
    taskQueue,
  };
}

/** @throws TactusError server_unreachable */
export async function connect(options: ConnectionOptions, address: string): Promise<Connection> {
  try {
    return await Connection.connect({ ...options, address, connectTimeout: connectMs });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TactusError(
      'server_unreachable',
      `No Temporal server answers at ${address}; waited up to ${connectMs / 1_000} s (${reason}). Start it, or leave the address out (--address, TEMPORAL_ADDRESS) to use the embedded server`,
      { address },
    );
  }
}

/** @throws TactusError server_unreachable: no worker could answer over a server that is gone */
export async function assertAnswers(connection: Connection, address: string): Promise<void> {
  const look = (): Promise<unknown> => connection.workflowService.getSystemInfo({});
  await connection.withDeadline(Date.now() + silenceMs, look).catch(() => {
    const message = `The Temporal server at ${address} doesn't answer any more`;
    throw new TactusError('server_unreachable', message, { address });
  });
}

/** How long a question waits for its answer, attempt by attempt. A worker elsewhere answers soon, unless it lives and has much to do; ours may have to replay a long run first. */
export const waits = {
  elsewhere: [10_000, 20_000],
  ofClosed: [10_000],
  /** What the server knows itself comes at once, unless its answer is lost. */
  server: [10_000, 20_000],
  otherProcess: [10_000],
  own: [5_000, 10_000, 15_000, 30_000],
} as const;

/** The connection that questions go over, and what an error says of it. */
interface AskedServer {
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

/** What `Session` knows of where a worker is to be. */
interface Served {
  /** The embedded server; null where another one was named. */
  embedded: object | null;
  target: { address: string; namespace: string; taskQueue: string };
  files?: FilesFolder;
}

/** The command that starts a worker for the runs of this one: with its server, its files, and the folder of its procedure. */
export function workerCommand({ embedded, target, files }: Served, procedure?: string): string {
  const { address, namespace, taskQueue } = target;
  const folder = procedure === undefined ? '' : relative(process.cwd(), dirname(procedure));
  const flags = flagsText({
    '--address': embedded === null ? address : undefined,
    '--namespace': embedded === null ? namespace : undefined,
    '--task-queue': embedded === null ? taskQueue : undefined,
    '--procedures': folder === '' ? undefined : folder,
    '--files': files?.isNamed === true ? relative(process.cwd(), files.path) || '.' : undefined,
  });
  return `${programHere()} worker${flags}`;
}
