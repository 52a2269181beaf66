import { dirname, join } from 'node:path';

/** Names files of a procedure, which are relative to its folder, in the way that the procedure's own was given. */
export function shownName(file: string): (name: string) => string {
  const folder = dirname(file);
  return (name) => (folder === '.' && !file.startsWith('./') ? name : join(folder, name));
}
