import { Library, type Bridge } from '../kernel/index.js';
import { fileFunctions } from './file-functions.js';

/** `File.read`, `write`, `append`, `list` and its like: files of the worker, read once and replayed from the log. */
export function openFile(bridge: Bridge): void {
  file.open(bridge);
}

const file = new Library('File', (bridge) => fileFunctions(bridge, null));
