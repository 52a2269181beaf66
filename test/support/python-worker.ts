import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import type { Python, RunOptions } from './python.js';
import type { TestServer } from './test-server.js';
import { waitUntil } from './wait-until.js';

const pythonTests = fileURLToPath(new URL('../python', import.meta.url));

/** A worker in Python, in a process of its own. */
export interface PythonWorker {
  process: ChildProcess;
  /** What it wrote to stderr so far. */
  said: () => string;
  /** Resolves when it has ended, by whatever. */
  ended: Promise<unknown>;
  /** Asks it to end, or kills it, and waits for that; gives its exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts one, and waits until it works. */
export function startPythonWorker(
  python: Python,
  server: TestServer,
  args: readonly string[],
  options: RunOptions = {},
): Promise<PythonWorker> {
  const command = ['-m', 'tactus_temporal.worker', '--address', server.env.address, ...args];
  return started(python, command, 'Ctrl-C ends it', options);
}

/** Where and when a worker dies. */
export interface Doom {
  /** The worker, or the process that has its models. */
  victim: 'worker' | 'models';
  /** The boundary: a prediction is about to be made, or is made and nobody has heard of it. */
  killAt: number;
}

/** Starts one that dies at a boundary, or whose models do; it has the functions of `test/python/shop.py`. */
export function startDoomedPythonWorker(
  python: Python,
  server: TestServer,
  { taskQueue, folder, doom }: { taskQueue: string; folder: string; doom: Doom },
): Promise<PythonWorker> {
  const script = join(pythonTests, 'doomed_worker.py');
  const args = [server.env.address, taskQueue, folder, doom.victim, String(doom.killAt)];
  return started(python, [script, ...args], 'ready', { cwd: pythonTests });
}

async function started(
  python: Python,
  command: readonly string[],
  readyWords: string,
  options: RunOptions,
): Promise<PythonWorker> {
  const child = python.start(command, options);
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const ended = new Promise<number | null>((tell) => child.once('exit', tell));
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  await waitUntil(() => Promise.resolve(hasEnded() || text.includes(readyWords)));
  if (hasEnded()) throw new Error(`the worker in Python has ended: ${text}`);
  return {
    process: child,
    said: () => text,
    ended,
    end: (signal = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
  };
}
