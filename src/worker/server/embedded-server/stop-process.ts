import { setTimeout as wait } from 'node:timers/promises';
import { isRunning } from '../../../client/runs/is-running.js';

const gentlyMs = 10_000;

/** Asks a process to end, and makes it where it doesn't. `mark`: what its command line holds. */
export async function stopProcess(pid: number, mark: string): Promise<void> {
  const end = Date.now() + gentlyMs;
  send(pid, mark, 'SIGTERM');
  while (isRunning(pid, mark)) {
    await wait(50);
    if (Date.now() > end) send(pid, mark, 'SIGKILL');
    if (Date.now() > end + gentlyMs) return;
  }
}

function send(pid: number, mark: string, signal: NodeJS.Signals): void {
  if (!isRunning(pid, mark)) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
