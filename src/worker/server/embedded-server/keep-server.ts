import { renameSync, rmSync, statSync, truncateSync, appendFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { isRunning } from '../../../client/runs/is-running.js';
import { holdsLock, releaseLock, takeLock } from './server-lock.js';
import {
  readServerRecord,
  serverFolder,
  writeServerRecord,
  type ServerFolder,
  type ServerRecord,
} from './server-folder.js';
import { startServerProcess, stopProcess, type StartedServer } from './server-process.js';

const lookEveryMs = 500;
const longestLog = 5_000_000;
/** A server that has lived so long may end again; of those that live shorter, so many are started one after another. */
const shortLifeMs = 60_000;
const mostShortLives = 3;

/**
 * Starts the server of a working folder and stays beside it: starts it anew where it ends by itself, and stops it when no
 * command has used it for `idleMs` (0: never), when it is told to, or when its folder is gone. Holds the folder's lock all
 * the while, so that there is never a second one. The exit code.
 */
export async function keepServer(
  workingFolder: string,
  temporal: string,
  { idleMs, webUi }: { idleMs: number; webUi: boolean },
): Promise<number> {
  const files = serverFolder(workingFolder);
  if (!takeLock(files.lock)) return 0;
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stop.abort());
  try {
    for (let shortLives = 0; ;) {
      const { record: server, door } = await beginServer(files, temporal, webUi);
      const started = Date.now();
      const isGone = await untilOver(files, server, idleMs, stop.signal);
      endRecord(files);
      door?.close();
      if (!isGone) {
        await stopProcess(server.pid, files.database);
        return 0;
      }
      shortLives = Date.now() - started < shortLifeMs ? shortLives + 1 : 0;
      // Commands that go on for long, such as `serve`, don't start it themselves: they wait until it is there again.
      if (shortLives === mostShortLives) throw new Error(`The server has ended ${shortLives} times in a row`);
      writeLog(files, 'the server has ended by itself, and is started anew');
    }
  } catch (error) {
    writeLog(files, error instanceof Error ? error.message : String(error));
    return 1;
  } finally {
    releaseLock(files.lock);
  }
}

async function beginServer(files: ServerFolder, temporal: string, webUi: boolean): Promise<StartedServer> {
  if (sizeOf(files.log) > longestLog) truncateSync(files.log);
  const left = readServerRecord(files.record);
  // A server whose keeper was killed: nobody would stop it, and two can't share a database.
  if (left !== null) await stopProcess(left.pid, files.database);
  if (left !== null) endRecord(files);
  const started = await startServerProcess(temporal, files, webUi);
  writeServerRecord(files.record, started.record);
  return started;
}

/** Whether it has ended by itself: else it is to be stopped. */
async function untilOver(
  files: ServerFolder,
  server: ServerRecord,
  idleMs: number,
  stop: AbortSignal,
): Promise<boolean> {
  const started = Date.now();
  while (!stop.aborted) {
    await wait(lookEveryMs, null, { signal: stop }).catch(() => null);
    if (!holdsLock(files.lock)) return false;
    if (!isRunning(server.pid, files.database)) return !stop.aborted;
    const idleSince = Math.max(started, usedAt(files));
    if (idleMs > 0 && Date.now() - idleSince > idleMs) return false;
  }
  return false;
}

/** The record goes first: who reads it must find a server that answers. Its ports are wanted again. */
function endRecord({ record }: ServerFolder): void {
  try {
    renameSync(record, `${record}.last`);
  } catch {
    rmSync(record, { force: true });
  }
}

function usedAt({ used }: ServerFolder): number {
  try {
    return statSync(used).mtimeMs;
  } catch {
    return 0;
  }
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0;
  }
}

function writeLog({ log }: ServerFolder, text: string): void {
  try {
    appendFileSync(log, `tactus-temporal: ${text}\n`);
  } catch {
    // The folder may be gone: then nobody reads it.
  }
}
