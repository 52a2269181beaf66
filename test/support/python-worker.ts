import type { ChildProcess } from 'node:child_process';
import type { Python, RunOptions } from './python.js';
import type { TestServer } from './test-server.js';
import { waitUntil } from './wait-until.js';

/** A worker in Python, in a process of its own. */
export interface PythonWorker {
  process: ChildProcess;
  /** What it wrote to stderr so far. */
  said: () => string;
  /** Asks it to end, or kills it, and waits for that; gives its exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts one, and waits until it works. */
export async function startPythonWorker(
  python: Python,
  server: TestServer,
  args: readonly string[],
  options: RunOptions = {},
): Promise<PythonWorker> {
  const command = ['-m', 'tactus_temporal.worker', '--address', server.env.address, ...args];
  const child = python.start(command, options);
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const ended = new Promise<number | null>((tell) => child.once('exit', tell));
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  await waitUntil(() => Promise.resolve(hasEnded() || text.includes('Ctrl-C ends it')));
  if (hasEnded()) throw new Error(`the worker in Python has ended: ${text}`);
  return {
    process: child,
    said: () => text,
    end: (signal = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
  };
}
