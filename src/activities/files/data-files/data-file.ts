import { mkdir } from 'node:fs/promises';
import type { DataFileInput } from '../../../contract/activities.js';
import { TactusError } from '../../../contract/errors.js';
import type { JsonValue } from '../../../contract/json/json.js';
import type { ActivityDeps } from '../../activity-deps.js';
import { forgetAppends } from '../append-journal.js';
import { assertInstalled } from '../../packages/assert-installed.js';
import { assertResultFits } from '../../predictions/assert-result-fits.js';
import { atEdge } from '../../retries/failures.js';
import { fileFault } from '../file-fault.js';
import { filesPlace } from '../files-place.js';
import { inFolder, type At } from '../held-folder.js';
import { createQueue } from '../../retries/one-at-a-time.js';
import { pathInside } from '../path-inside.js';
import { assertNoDeadLink, notRegular, readRegular } from '../read-regular.js';
import { replaceFile } from '../replace-file.js';
import { inThread } from './in-thread.js';

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
