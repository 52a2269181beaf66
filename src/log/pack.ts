import { gunzipSync, gzipSync, strFromU8, strToU8 } from 'fflate';
import type { Checkpoint } from '../contract/checkpoint.js';
import { TactusError } from '../contract/errors.js';
import { NewerVersionError } from '../contract/newer-version.js';
import { compact } from './compact.js';

/** Of the form in which a log travels. The first is the list of its checkpoints alone: 0.1.0 takes nothing else. */
const newestVersion = 2;

interface PackedLog {
  version: number;
  entries: Checkpoint[];
}

/** Compressed JSON, about a tenth of its size. `mtime` is fixed, so equal values pack equally. */
export function packJson(value: unknown): Uint8Array {
  return gzipSync(strToU8(JSON.stringify(value)), { level: 6, mtime: 0 });
}

/** A log as runs of engine 1 hand it over. */
export function packLog(log: readonly Checkpoint[]): Uint8Array {
  return packJson(log);
}

/** A log as it is handed to another execution. */
export function packCarried(log: readonly Checkpoint[]): Uint8Array {
  return packJson({ version: newestVersion, entries: compact(log) } satisfies PackedLog);
}

/**
 * Reads a log of any version.
 * @throws TactusError usage where it is anything else: only a run gives a log to itself; NewerVersionError
 */
export function unpackLog(packed: unknown): Checkpoint[] {
  const read = readPacked(packed);
  if (Array.isArray(read)) return read;
  if (read.version > newestVersion)
    throw new NewerVersionError('The carried log', read.version, newestVersion);
  return read.entries;
}

function readPacked(packed: unknown): Checkpoint[] | PackedLog {
  try {
    // Not by `instanceof`: what the SDK hands in was made outside of the workflow's realm.
    if (!ArrayBuffer.isView(packed)) throw new TypeError('it is no data');
    const read = JSON.parse(strFromU8(gunzipSync(packed as Uint8Array))) as Checkpoint[] | PackedLog | null;
    if (Array.isArray(read) || typeof read?.version === 'number') return read;
    throw new TypeError('it is no list of checkpoints');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TactusError('usage', `The workflow takes one argument; its second is no packed log: ${reason}`);
  }
}
