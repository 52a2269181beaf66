import type { Bridge } from '../kernel/bridge.js';
import { fileFunctions } from './file-functions.js';
import { setLibrary } from '../vm/handle.js';

/** `File.read`, `write`, `append`, `list` and its like: files of the worker, read once and replayed from the log. */
export function openFile(bridge: Bridge): void {
  setLibrary(bridge.L, 'File', fileFunctions(bridge, null));
}
