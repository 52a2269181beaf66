import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { TactusError } from '../../../contract/errors.js';
import type { Done, ThreadAnswer, ThreadRequest } from './thread/messages.js';

/** Beside the compiled files; for sources that run uncompiled, as in tests, in `dist`. */
const places = ['thread/main.js', '../../../../dist/activities/files/data-files/thread/main.js'];
/** A file of 64 MB takes a few seconds; one that is made to take for ever is stopped. In ms. */
const mostMs = 20_000;
/** What values may take, in MB: a file may say that it holds a million times what there is in it. */
const mostHeapMb = 512;

/**
 * Reads or writes a file of data in a thread of its own: one that is broken, or made to break its reader, takes that thread along
 * and no worker, and tasks of other runs go on meanwhile.
 * @throws TactusError file_failed, payload_too_large: another attempt would find the same
 */
export async function inThread(request: ThreadRequest): Promise<Done> {
  const { path } = request;
  const thread = new Worker(mainModule(), {
    workerData: request,
    env: {},
    execArgv: [],
    // Libraries write there what their errors say as well.
    stderr: true,
    stdout: true,
    resourceLimits: { maxOldGenerationSizeMb: mostHeapMb },
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    const answer = await new Promise<ThreadAnswer>((resolve, reject) => {
      const fail = (reason: string): void => {
        reject(new TactusError('file_failed', `${path} ${reason}`, { path }));
      };
      timer = setTimeout(() => {
        fail(`isn't done after ${mostMs / 1000} s`);
      }, mostMs);
      thread.once('message', resolve);
      thread.once('error', (error: NodeJS.ErrnoException) => {
        fail(
          error.code === 'ERR_WORKER_OUT_OF_MEMORY'
            ? `takes more than ${mostHeapMb} MB in memory`
            : `can't be used: ${error.message}`,
        );
      });
      thread.once('exit', (code) => {
        fail(`can't be used: what reads it ended (${code})`);
      });
    });
    if (answer.ok) return answer;
    throw new TactusError(answer.code, answer.message, { path });
  } finally {
    clearTimeout(timer);
    await thread.terminate();
  }
}

function mainModule(): string {
  const paths = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const path = paths.find((each) => existsSync(each));
  if (path === undefined)
    throw new TactusError('internal', 'What reads files of data is not built; run: npm run build');
  return path;
}
