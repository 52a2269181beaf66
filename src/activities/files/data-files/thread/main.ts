/** Reads or writes one file of data, and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { TactusError } from '../../../../contract/errors.js';
import type { Done, ThreadAnswer, ThreadRequest } from './messages.js';

const formats: Record<ThreadRequest['format'], () => Promise<(request: ThreadRequest) => Promise<Done>>> = {
  parquet: async () => (await import('./parquet.js')).parquet,
  excel: async () => (await import('./excel.js')).excel,
  hdf5: async () => (await import('./hdf5.js')).hdf5,
};

async function answer(request: ThreadRequest): Promise<ThreadAnswer> {
  const { format, operation, path } = request;
  try {
    const perform = await formats[format]();
    return { ok: true, ...(await perform(request)) };
  } catch (error) {
    if (error instanceof TactusError) return { ok: false, code: error.code, message: error.message };
    const said = error instanceof Error ? error.message : String(error);
    // Of what a library says over many lines, the reason comes last.
    const reason = said.trim().split('\n').at(-1)?.trim() ?? '';
    const verb = operation === 'write' ? 'written as' : 'read as';
    return { ok: false, code: 'file_failed', message: `${path} can't be ${verb} ${format}: ${reason}` };
  }
}

parentPort?.postMessage(await answer(workerData as ThreadRequest));
