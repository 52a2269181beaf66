import { dirname, resolve } from 'node:path';

/** Folders above that of a procedure in which a file is looked for that it runs. */
const most = 5;

/** The folders above one, the nearest first. */
export function foldersAbove(folder: string): string[] {
  const found: string[] = [];
  for (let at = resolve(folder); found.length < most && dirname(at) !== at;) found.push((at = dirname(at)));
  return found;
}
