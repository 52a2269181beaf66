import { gunzipSync, gzipSync, strFromU8, strToU8 } from 'fflate';
import type { Checkpoint } from '../contract/checkpoint.js';
import { TactusError } from '../contract/errors.js';
import type { LogPage } from '../contract/run-view.js';

/** A log as it travels: compressed JSON, about a tenth of its size. `mtime` is fixed, so equal logs pack equally. */
export function packLog(log: readonly Checkpoint[] | LogPage): Uint8Array {
  return gzipSync(strToU8(JSON.stringify(log)), { level: 6, mtime: 0 });
}

/** @throws TactusError usage where it is anything else: only a run gives a log to itself */
export function unpackLog(packed: unknown): Checkpoint[] {
  try {
    // Not by `instanceof`: what the SDK hands in was made outside of the workflow's realm.
    if (!ArrayBuffer.isView(packed)) throw new TypeError('it is no data');
    return JSON.parse(strFromU8(gunzipSync(packed as Uint8Array))) as Checkpoint[];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TactusError('usage', `The workflow takes one argument; its second is no packed log: ${reason}`);
  }
}
