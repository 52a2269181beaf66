import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { DataFileInput } from '../../../contract/activities.js';
import { TactusError } from '../../../contract/errors.js';
import type { JsonValue } from '../../../contract/json/json.js';
import type { ActivityDeps } from '../../activity-deps.js';
import {
  assertNoDeadLink,
  forgetAppends,
  inFolder,
  notRegular,
  readRegular,
  replaceFile,
  type At,
} from '../regular-files.js';
import { assertInstalled } from '../../packages/installed.js';
import { assertResultFits, atEdge, createQueue } from '../../retries/failures.js';
import { fileFault, filesPlace } from '../file-fault.js';
import { pathInside } from '../path-inside.js';
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
async function inThread(request: ThreadRequest): Promise<Done> {
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

/** Of a file: all of it is in memory while it is read. */
const mostFileBytes = 64 * 1024 * 1024;

const packages = {
  parquet: ['hyparquet', 'hyparquet-compressors', 'hyparquet-writer'],
  excel: ['read-excel-file', 'write-excel-file'],
  hdf5: ['h5wasm'],
};
const names = { parquet: 'Parquet files need', excel: 'Excel files need', hdf5: 'HDF5 files need' };

/** Writes to one file of HDF5 keep what else is in it: two at once would lose one of them. One thread is enough of a load. */
const oneByOne = createQueue();

/**
 * One operation on a file of data below the worker's folder of files: `read` gives rows or a dataset, `list` names, `write`
 * true. Paths follow the rules of other files. A second attempt leaves the same file as the first.
 * @throws ApplicationFailure of type file_failed, missing_package or payload_too_large, which names the path as it was given
 */
export async function dataFile(
  deps: ActivityDeps,
  { path, folder, ...action }: DataFileInput,
): Promise<JsonValue> {
  return atEdge({ code: 'file_failed', subject: `File ${path}`, secrets: () => [] }, async () => {
    assertInstalled(names[action.format], packages[action.format]);
    const make = action.operation === 'write';
    const where = folder === undefined ? { path } : { folder, path };
    // A file of HDF5 keeps what else is in it.
    const change = action.format === 'hdf5' ? 'complete' : 'change';
    const { root, below, name: folderName } = await filesPlace(deps, where, make ? change : 'read');
    try {
      if (make) await mkdir(root, { recursive: true });
      const { root: realRoot, names: way } = await pathInside(root, below, path, deps.keptPaths);
      const name = way.pop();
      if (name === undefined) throw notRegular(path);
      return await inFolder({ root: realRoot, names: way }, { make }, (at) =>
        oneByOne(
          () => (make ? write(at, name, path, action) : read(at(name), path, action)),
          new AbortController().signal,
        ),
      );
    } catch (error) {
      throw fileFault(error, path, folderName);
    }
  });
}

type Action = Omit<DataFileInput, 'path' | 'folder'>;

async function read(place: string, path: string, action: Action): Promise<JsonValue> {
  const bytes = await readRegular(place, path, mostFileBytes);
  const answer = await inThread({ ...action, path, bytes });
  return assertResultFits(answer.value ?? null, `What ${path} holds`);
}

async function write(at: At, name: string, path: string, action: Action): Promise<true> {
  await assertNoDeadLink(at(name), path);
  const bytes = action.format === 'hdf5' ? await ifThere(at(name), path) : null;
  const { bytes: written } = await inThread({ ...action, path, bytes });
  if (written === undefined) throw new TactusError('internal', `${path}: nothing was written`);
  await forgetAppends(at, name);
  await replaceFile(at, name, written);
  return true;
}

async function ifThere(place: string, path: string): Promise<Buffer | null> {
  return readRegular(place, path, mostFileBytes).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}
